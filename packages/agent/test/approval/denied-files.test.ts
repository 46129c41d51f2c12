import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { payloadsOf, testAgent, type TestAgent } from "../turn/test-agent.ts";

const call = (tool: string, input: object): object => ({ toolCalls: [{ tool, input }] });

async function put(host: TestAgent): Promise<void> {
  for (const folder of ["private", "src"]) {
    await mkdir(join(host.cwd, folder));
    await writeFile(join(host.cwd, folder, "a.txt"), `needle of ${folder}`);
  }
}

test("a rule against reading files holds for read_file, grep, glob and attachments of a session", async () => {
  const steps = [
    call("read_file", { path: "private/a.txt" }),
    call("grep", { pattern: "needle", path: "private" }),
    call("grep", { pattern: "needle" }),
    call("glob", { pattern: "**/*.txt" }),
    { text: "Done." },
  ];
  const permissions = { deny: ["read_file(private/**)"] };
  await using host = await testAgent({ steps, permissions });
  await put(host);
  await host.prompt("look around");
  const results = payloadsOf(host.session.events, "TOOL_RESULT");
  expect(results.map(({ status }) => status)).toEqual([
    "rejected",
    "rejected",
    "completed",
    "completed",
  ]);
  const shown = JSON.stringify(results);
  expect(shown).toContain("needle of src");
  expect(shown).not.toContain("needle of private");
  expect(JSON.stringify(results[3])).not.toContain("private/a.txt");
  await expect(host.prompt("see @private/a.txt")).rejects.toMatchObject({
    code: "AGENT_PROMPT_INVALID",
  });
});

test("a rule against edits of files holds for every tool that writes one", async () => {
  const path = "src/a.txt";
  const steps = [
    call("read_file", { path }),
    call("write_file", { path, content: "new" }),
    call("edit", { path, old_string: "needle", new_string: "new" }),
    call("apply_patch", {
      patch: `*** Begin Patch\n*** Update File: ${path}\n@@\n-needle of src\n+new\n*** End Patch\n`,
    }),
    call("write_file", { path: "b.txt", content: "new" }),
    { text: "Done." },
  ];
  await using host = await testAgent({ steps, permissions: { deny: ["edit(src/**)"] } });
  await put(host);
  await host.prompt("change it");
  const statuses = payloadsOf(host.session.events, "TOOL_RESULT").map(({ status }) => status);
  expect(statuses).toEqual(["completed", "rejected", "rejected", "rejected", "completed"]);
  expect(await readFile(join(host.cwd, path), "utf8")).toBe("needle of src");
});
