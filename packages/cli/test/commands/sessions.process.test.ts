import { readdir, readFile, writeFile } from "node:fs/promises";
import { sourceCommand, startProcess } from "@acumen/testkit";
import { expect, test } from "vitest";
import { type AgentBench, agentBench } from "../support/agent-bench.ts";
import { lastRecord, recordsOf } from "../support/run-main.ts";

const BIN = new URL("../../src/bin.ts", import.meta.url);
const EDIT = {
  steps: [
    {
      text: "I write.",
      toolCalls: [{ tool: "write_file", input: { path: "made.txt", content: "new\n" } }],
    },
    { toolCalls: [{ tool: "write_file", input: { path: "old.txt", content: "changed\n" } }] },
    { text: "Done with \u001B[2Jit." },
  ],
};

/** A finished turn that made one file and changed another. */
async function edited(): Promise<AgentBench & { readonly id: string; readonly seq: number }> {
  const bench = await agentBench(EDIT);
  await bench.write("work/old.txt", "before\n");
  const outcome = await bench.run(["write it", "--json", "--mode", "auto", "--trust-once"]);
  expect(outcome.code).toBe(0);
  const call = recordsOf(outcome).find(({ type }) => type === "TOOL_CALL");
  return { ...bench, id: String(lastRecord(outcome)["session_id"]), seq: Number(call?.["seq"]) };
}

test("list shows the newest first, page by page, and filters by folder", async () => {
  await using bench = await agentBench({ steps: [{ text: "One." }], repeatLast: true });
  const empty = await bench.acumen(["sessions", "list"]);
  expect(empty).toMatchObject({ code: 0, stdout: "No sessions yet.\n" });
  const ids: unknown[] = [];
  for (const prompt of ["first", "second", "third"]) {
    ids.unshift(lastRecord(await bench.run([prompt, "--json"]))["session_id"]);
  }
  const page = lastRecord(await bench.acumen(["sessions", "list", "--limit", "2", "--json"]));
  expect(page).toEqual({
    type: "result",
    command: "sessions list",
    sessions: ["third", "second"].map((title, index) => ({
      session_id: ids[index],
      cwd: bench.workspace,
      title,
      model: bench.model,
      mode: "safe",
      created_at: expect.any(String),
      updated_at: expect.any(String),
    })),
    next_cursor: expect.any(String),
  });
  const cursor = String(page["next_cursor"]);
  const next = await bench.acumen(["sessions", "list", "--cursor", cursor, "--json"]);
  expect(lastRecord(next)).toMatchObject({ sessions: [{ title: "first" }], next_cursor: null });
  const text = await bench.acumen(["sessions", "list", "--limit", "1"]);
  expect(text.stdout).toMatch(/third\n/);
  expect(text.stdout).toContain("--limit 1 --cursor ");
  const elsewhere = await bench.acumen(["sessions", "list", "--cwd", bench.home]);
  expect(elsewhere.stdout).toBe("No sessions here.\n");
  const wrong = await bench.acumen(["sessions", "list", "--cursor", "nonsense"]);
  expect(wrong.code).toBe(2);
  expect(wrong.stderr).toContain("AGENT_CURSOR_INVALID");
});

test("show gives every event to machines, and to people what happened, within 80 columns", async () => {
  await using bench = await edited();
  const record = lastRecord(await bench.acumen(["sessions", "show", bench.id, "--json"]));
  expect(record).toMatchObject({
    command: "sessions show",
    session: { session_id: bench.id, title: "write it", mode: "auto" },
  });
  const events = record["events"] as { seq: number }[];
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_event, index) => index + 1));
  const { stdout } = await bench.acumen(["sessions", "show", bench.id]);
  expect(stdout).toContain("you: write it");
  expect(stdout).toMatch(new RegExp(`^ +${bench.seq} {2}> write_file`, "m"));
  expect(stdout).toContain("Done with [2Jit.");
  for (const line of stdout.split("\n").slice(2)) expect(line.length).toBeLessThanOrEqual(80);
});

test("fork copies up to an event into a session of its own, delete ends one", async () => {
  await using bench = await edited();
  const whole = lastRecord(await bench.acumen(["sessions", "fork", bench.id, "--json"]));
  expect(whole).toEqual({
    type: "result",
    command: "sessions fork",
    session_id: expect.any(String),
  });
  expect(whole["session_id"]).not.toBe(bench.id);
  const unknown = await bench.acumen(["sessions", "fork", bench.id, "--at", "9999"]);
  expect(unknown.code).toBe(1);
  expect(unknown.stderr).toContain("AGENT_EVENT_UNKNOWN");
  const gone = await bench.acumen(["sessions", "delete", bench.id, "--json"]);
  expect(lastRecord(gone)).toMatchObject({ session_id: bench.id });
  expect((await bench.acumen(["sessions", "delete", bench.id])).code).toBe(0);
  const shown = await bench.acumen(["sessions", "show", bench.id]);
  expect(shown.code).toBe(1);
  expect(shown.stderr).toContain("AGENT_SESSION_NOT_FOUND");
});

test("`last` is the newest session of the folder", async () => {
  await using bench = await edited();
  const inFolder = async (...words: string[]): Promise<Record<string, unknown>> => {
    await using child = startProcess(sourceCommand(BIN, ["sessions", ...words, "--json"]), {
      cwd: bench.workspace,
      env: { ACUMEN_HOME: bench.home },
    });
    child.child.stdin.end();
    await child.exited;
    return JSON.parse(child.stdout()) as Record<string, unknown>;
  };
  expect(await inFolder("show", "last")).toMatchObject({ session: { session_id: bench.id } });
  const undone = await inFolder("undo", "last", "--to", String(bench.seq));
  expect(undone).toMatchObject({ session_id: bench.id, removed: [`${bench.workspace}/made.txt`] });
  const { session_id: fork } = await inFolder("fork", "last");
  expect(await inFolder("show", "last")).toMatchObject({
    session: { session_id: fork },
    events: expect.arrayContaining([
      expect.objectContaining({
        payload: expect.objectContaining({
          forked_from: expect.objectContaining({ session_id: bench.id }),
        }),
      }),
    ]),
  });
});

test("an id that no session has is answered with the command that lists them", async () => {
  await using bench = await agentBench({ steps: [] });
  for (const line of [
    ["show", "nope"],
    ["fork", "nope"],
    ["undo", "nope", "--to", "1"],
  ]) {
    const { code, stderr } = await bench.acumen(["sessions", ...line]);
    expect(code).toBe(1);
    expect(stderr).toContain("There is no session nope. `acumen sessions list` shows the ids.");
  }
  const refused = await bench.acumen(["sessions", "delete", "last"]);
  expect(refused.code).toBe(2);
  expect(refused.stderr).toContain("not as `last`");
});

test("undo gives files back what they held, and is refused when somebody else changed one", async () => {
  await using bench = await edited();
  const [made, old] = [`${bench.workspace}/made.txt`, `${bench.workspace}/old.txt`];
  await writeFile(old, "mine\n");
  const undo = ["sessions", "undo", bench.id, "--to", String(bench.seq), "--json"];
  const refused = await bench.acumen(undo);
  expect(refused.code).toBe(3);
  expect(lastRecord(refused)).toMatchObject({ error: { code: "AGENT_UNDO_REFUSED" } });
  expect(await readFile(made, "utf8")).toBe("new\n");
  await writeFile(old, "changed\n");
  const done = await bench.acumen(undo);
  expect(lastRecord(done)).toEqual({
    type: "result",
    command: "sessions undo",
    session_id: bench.id,
    restored: [old],
    removed: [made],
  });
  expect(await readFile(old, "utf8")).toBe("before\n");
  await expect(readFile(made, "utf8")).rejects.toThrow();
});

test.each([
  ["sessions undo ID", "Required option"],
  ["sessions undo ID --to 0", "number of an event"],
  ["sessions fork ID --at x", "number of an event"],
  ["sessions show", "argument 'id'"],
  ["sessions lst", "Did you mean list?"],
])("`acumen %s` is a usage error", async (line, text) => {
  await using bench = await agentBench({ steps: [] });
  const { code, stderr } = await bench.acumen(line.split(" "));
  expect(code).toBe(2);
  expect(stderr).toContain(text);
});

test("a session whose log was emptied says so, where it is shown and where it goes on", async () => {
  await using bench = await agentBench({ steps: [{ text: "One." }], repeatLast: true });
  const id = String(lastRecord(await bench.run(["first", "--json"]))["session_id"]);
  const [key = ""] = (await readdir(`${bench.home}/sessions`)).filter((name) => name[0] !== ".");
  await writeFile(`${bench.home}/sessions/${key}/${id}/events.jsonl`, "");
  const shown = await bench.acumen(["sessions", "show", id]);
  expect(shown.stdout).toContain(
    "1 place of the log is damaged. The first: line 1, the log is empty.",
  );
  const events = recordsOf(await bench.run(["again", "--session", id, "--json"]));
  expect(events[0]).toMatchObject({ type: "SESSION_RESUMED", payload: { skipped_records: 1 } });
});
