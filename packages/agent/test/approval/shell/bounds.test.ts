import { expect, test } from "vitest";
import { CommandView } from "../../../src/approval/command-view.ts";

const nest = (open: string, close: string, depth: number): string =>
  `${open.repeat(depth)}ls${close.repeat(depth)}`;
const quoted = (command: string, depth: number): string => {
  let text = "ls $(x)";
  for (let index = 0; index < depth; index += 1) text = `${command} ${JSON.stringify(text)}`;
  return text;
};

test.each([
  ["wrappers in wrappers", "sudo ".repeat(10_000)],
  ["reserved words", "! ".repeat(30_000)],
  ["parentheses", nest("(", ")", 20_000)],
  ["substitutions", nest("$(", ")", 20_000)],
  ["quoted substitutions", nest('"$(', ')"', 10_000)],
  ["parameters", nest("${x:-", "}", 10_000)],
  ["backticks", "`".repeat(60_000)],
  ["here-documents", "<<E ".repeat(15_000) + "\n".repeat(5_000)],
  ["commands", "a;".repeat(30_000)],
  ["words", "a ".repeat(30_000)],
  ["texts in texts", quoted("env -S", 12)],
  ["shells in shells", quoted("sh -c", 12)],
  ["assignments in assignments", "A='B='\\''$(C=$(x))".repeat(3_000)],
  ["a long text", "x".repeat(1_000_000)],
  ["scripts of sed", `sed '${"s/a/".repeat(8_000)}'`],
  ["addresses of sed", `sed '/${"\\\\a".repeat(10_000)}'`],
  ["names of options", `mytool --${"a-".repeat(15_000)} --${"aB".repeat(15_000)}`],
  ["options", `git ${"-c x ".repeat(12_000)}`],
])("%s without end are read in bounded time", (_name, command) => {
  const start = performance.now();
  const view = new CommandView(command);
  const seen = view.finds({ type: "words", words: ["zz", "a", "-b"], rest: true });
  expect(["no", "maybe"]).toContain(seen);
  view.allows({ type: "words", words: [], rest: true });
  // A second at most on any machine that is not overloaded; without bounds some of these take minutes.
  expect(performance.now() - start).toBeLessThan(10_000);
});
