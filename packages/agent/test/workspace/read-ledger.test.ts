import { tempFolder } from "@acumen/testkit";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { FileSessionStore, textBlock } from "../../src/index.ts";
import { ReadLedger } from "../../src/workspace/read-ledger.ts";
import { sha256 } from "../../src/workspace/sha256.ts";
import { payloadsOf, testAgent } from "../turn/test-agent.ts";

function call(tool: string, input: object): object {
  return { toolCalls: [{ tool, input }] };
}
const done = { text: "done" };
const overwrite = call("write_file", { path: "f.txt", content: "of the model\n" });

/** Two prompts in two openings of one session, between which somebody writes `theirs` into f.txt. */
async function afterReopening(
  first: { readonly steps: readonly object[]; readonly prompt?: string },
  second: readonly object[],
  theirs: string | undefined,
): Promise<{ readonly results: readonly string[]; readonly content: string }> {
  await using folder = await tempFolder();
  const store = new FileSessionStore({ home: folder.join("home") });
  await mkdir(folder.join("home"));
  await using host = await testAgent({
    steps: [...first.steps, done, ...second, done],
    agent: { store },
  });
  const file = join(host.cwd, "f.txt");
  await writeFile(file, "first\n");
  await host.prompt(first.prompt ?? "go");
  await host.session.close();
  if (theirs !== undefined) await writeFile(file, theirs);
  const opened = await host.agent.openSession(host.session.id);
  const before = opened.events.length;
  await host.agent.runtime.runPrompt(opened, [textBlock("go on")]);
  return {
    results: payloadsOf(opened.events.slice(before), "TOOL_RESULT").map(({ status }) => status),
    content: await readFile(file, "utf8").catch(() => ""),
  };
}

test.each([
  ["read", { steps: [call("read_file", { path: "f.txt" })] }],
  ["wrote", { steps: [overwrite] }],
  ["was given with the prompt", { steps: [], prompt: "look at @f.txt" }],
])(
  "a file that the model %s before the session was opened again and that changed since is not overwritten",
  async (_how, first) => {
    const { results, content } = await afterReopening(first, [overwrite], "of a person\n");
    expect(results).toEqual(["failed"]);
    expect(content).toBe("of a person\n");
  },
);

test("a file that nobody changed is overwritten, and so is one that was read again", async () => {
  const read = call("read_file", { path: "f.txt" });
  expect(await afterReopening({ steps: [read] }, [overwrite], undefined)).toEqual({
    results: ["completed"],
    content: "of the model\n",
  });
  expect(await afterReopening({ steps: [read] }, [read, overwrite], "of a person\n")).toEqual({
    results: ["completed", "completed"],
    content: "of the model\n",
  });
});

test("a file that the model deleted and somebody made again is overwritten", async () => {
  const patch = "*** Begin Patch\n*** Delete File: f.txt\n*** End Patch";
  const first = { steps: [call("read_file", { path: "f.txt" }), call("apply_patch", { patch })] };
  expect(await afterReopening(first, [overwrite], "of a person\n")).toMatchObject({
    results: ["completed"],
  });
});

test("after an undo the file may be changed, at once and when the session is opened again", async () => {
  await using host = await testAgent({
    steps: [overwrite, done, overwrite, done, overwrite, done],
  });
  const file = join(host.cwd, "f.txt");
  await writeFile(file, "first\n");
  await host.prompt("one");
  await host.session.undo();
  await host.prompt("two");
  expect(await readFile(file, "utf8")).toBe("of the model\n");
  await host.session.undo();
  await host.session.close();
  const opened = await host.agent.openSession(host.session.id);
  await host.agent.runtime.runPrompt(opened, [textBlock("three")]);
  expect(await readFile(file, "utf8")).toBe("of the model\n");
});

test("the log says what the model saw of a file and made of it", async () => {
  await using host = await testAgent({
    steps: [
      call("read_file", { path: "f.txt" }),
      overwrite,
      call("glob", { pattern: "*" }),
      done,
      done,
    ],
  });
  const path = join(host.cwd, "f.txt");
  await writeFile(path, "first\n");
  await host.prompt("look at @f.txt");
  const seen = (text: string) => [{ path, sha256: sha256(Buffer.from(text)) }];
  const { events } = host.session;
  expect(payloadsOf(events, "USER_MESSAGE").map((one) => one.seen)).toEqual([seen("first\n")]);
  const results = payloadsOf(events, "TOOL_RESULT");
  expect(results.map((one) => one.seen)).toEqual([
    seen("first\n"),
    seen("of the model\n"),
    undefined,
  ]);
  expect(results[2]).not.toHaveProperty("seen");
  await host.prompt("and nothing");
  expect(payloadsOf(events, "USER_MESSAGE").at(-1)).not.toHaveProperty("seen");
});

test("what is no hash in a log bars no file", () => {
  const reads = new ReadLedger();
  const payload = { content: [], source: "", seen: [{ path: "/f", sha256: "[hidden]" }] };
  const head = { seq: 1, event_id: "", session_id: "", turn_id: null, step: 0, timestamp: "" };
  reads.replay({ ...head, type: "USER_MESSAGE", payload });
  expect(reads.isStale("/f", sha256(Buffer.from("x")))).toBe(false);
});
