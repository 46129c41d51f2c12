import { expect, test } from "vitest";
import { agentBench } from "../support/agent-bench.ts";

test("a name of two words is a usage error and defines nothing; options before `--` and a second `--` are none", async () => {
  await using bench = await agentBench({ steps: [] });
  const add = (...words: readonly string[]) =>
    bench.acumen(["mcp", "add", "--no-enable", "--workspace", bench.workspace, ...words]);
  const refused = await add("bad", "name", "--", "true");
  expect(refused.code).toBe(2);
  expect(refused.stderr).toContain('"name" is more. A name is one word.');
  expect((await bench.acumen(["mcp", "test", "bad"])).code).not.toBe(0);
  expect((await add("one", "--env", "A=1", "--", "/nowhere/srv", "--", "-x")).code).toBe(0);
  expect((await add("two", "/nowhere/srv", "word")).code).toBe(0);
});
