import type { Command } from "commander";
import fc from "fast-check";
import { resolve } from "node:path";
import { expect, test } from "vitest";
import { plainFlags } from "../../src/acp/plain-flags.ts";
import { createProgram } from "../../src/program.ts";
import type { CommandContext } from "../../src/command-context.ts";

const QUIET = { write: () => true };

/** What the command tree makes of the same words; undefined when it refuses them. */
async function treeFlags(args: readonly string[]): Promise<object | undefined> {
  let flags: object | undefined;
  const context = { stdout: QUIET, stderr: QUIET } as unknown as CommandContext;
  const program = await createProgram(context, ["acp"]);
  program.commands[0]?.action((_flags, self: Command) => {
    flags = self.optsWithGlobals();
  });
  await program.parseAsync([...args], { from: "user" }).catch(() => undefined);
  return flags;
}

test("what editors write is read without the command tree", () => {
  expect(plainFlags(["acp"])).toEqual({ color: true });
  expect(
    plainFlags(["acp", "--model", "ollama/a", "--trust-once", "--mode", "auto", "--config", "c"]),
  ).toEqual({
    color: true,
    model: "ollama/a",
    trustOnce: true,
    mode: "auto",
    config: resolve("c"),
  });
});

test.each([
  [[]],
  [["run"]],
  [["--no-color", "acp"]],
  [["acp", "--help"]],
  [["acp", "--check"]],
  [["acp", "--model"]],
  [["acp", "--model", "--check"]],
  [["acp", "--model=a"]],
  [["acp", "--mode", "wild"]],
  [["acp", "word"]],
  [["acp", "--"]],
  [["acp", "toString", "x"]],
])("%j is left to the command tree", (args) => {
  expect(plainFlags(args)).toBeUndefined();
});

test("what is read without the command tree is what it would read", async () => {
  const word = fc.constantFrom(
    "--model",
    "--mode",
    "--config",
    "--trust-once",
    "--check",
    "--json",
    "--no-color",
    "--",
    "-",
    "",
    "auto",
    "safe",
    "ollama/a b",
    "acp",
  );
  await fc.assert(
    fc.asyncProperty(fc.array(word, { maxLength: 5 }), async (words) => {
      const args = ["acp", ...words];
      const plain = plainFlags(args);
      if (plain !== undefined) expect(plain).toEqual(await treeFlags(args));
    }),
    { numRuns: 300 },
  );
});
