import { EVENT_TYPES } from "@acumen/agent";
import type { SessionUpdate } from "@agentclientprotocol/sdk";
import fc from "fast-check";
import { expect, test } from "vitest";
import { hostBench } from "../support/host-bench.ts";
import {
  call,
  delta,
  message,
  NOTES,
  output,
  prompt,
  result,
  server,
  started,
  usage,
} from "./support/drafts.ts";
import {
  comparable,
  type Happening,
  inTurn,
  isEvent,
  logged,
  type Mapped,
  outside,
  recordOf,
  updatesOf,
} from "./support/scripted-session.ts";

const DIFF = [{ path: "/w/a.txt", old_text: null, new_text: "x\n" }];
const IMAGE = { type: "image" as const, mime_type: "image/png", data: "AAAA" };

/** A session with every type of event, and what was shown of it while it ran. */
const LONG_SESSION: readonly Happening[] = [
  ...outside({
    type: "SESSION_CREATED",
    payload: { cwd: "/w", additional_directories: [], model: "m/one", mode: "safe" },
  }),
  ...outside(server("connecting", { previous: null }), server("connected")),
  ...inTurn("t1", prompt("Write a."), { type: "TITLE_CHANGED", payload: { title: "Write a." } }),
  delta("m1", "Let me ", "reasoning"),
  delta("m1", "think \uD83D", "reasoning"),
  delta("m1", "\uDE00", "reasoning"),
  delta("m2", "I write "),
  delta("m2", "it."),
  ...inTurn(
    "t1",
    message("m1", "Let me think \u{1F600}", "reasoning"),
    message("m2", "I write it."),
  ),
  ...inTurn("t1", usage(), call("c1", { kind: "edit", diff: DIFF, tool: "write_file" })),
  ...inTurn("t1", {
    type: "APPROVAL_REQUESTED",
    payload: { call_id: "c1", options: ["allow_once", "reject_once"] },
  }),
  ...inTurn("t1", {
    type: "APPROVAL_DECIDED",
    payload: { call_id: "c1", decision: "allow_once", by: "user" },
  }),
  started("c1"),
  ...inTurn("t1", result("c1", { diff: DIFF, exit_code: null }), call("c2"), call("c3")),
  started("c2"),
  output("c2", "one\n"),
  output("c2", "two\n"),
  ...outside({ type: "MODE_CHANGED", payload: { mode: "manual", previous: "safe" } }),
  ...inTurn(
    "t1",
    result("c2", { status: "failed", exit_code: 2, output: [IMAGE] }),
    result("c3", { status: "rejected", exit_code: null }),
  ),
  ...inTurn("t1", {
    type: "PLAN_UPDATED",
    payload: { entries: [{ content: "Test", status: "in_progress", priority: "high" }] },
  }),
  ...NOTES.flatMap((draft) => inTurn("t1", draft)),
  ...NOTES.flatMap((draft) => outside(draft)),
  ...outside(
    { type: "MODEL_CHANGED", payload: { model: "m/two", previous: "m/one" } },
    message("n1", "Not trusted.", "command"),
  ),
  ...inTurn("t2", prompt("Go on."), call("c4")),
  ...outside({
    type: "SESSION_RESUMED",
    payload: { model: "m/two", mode: "manual", skipped_records: 0 },
  }),
  ...outside(prompt("/status"), ...NOTES, message("o1", "All is well.", "command")),
  ...inTurn("t3", prompt("Again."), message("m9", "Done."), usage({ cost: 0.5 })),
];

const HOSTS: readonly Mapped[] = [
  {},
  { notices: true },
  { compaction: true },
  { notices: true, compaction: true, trusted: false },
];

test.each(HOSTS)("a session with every event is shown again as it was shown live (%j)", (host) => {
  const happenings = logged(LONG_SESSION);
  const types = new Set(happenings.filter(isEvent).map(({ type }) => type));
  expect([...types].toSorted()).toEqual([...EVENT_TYPES].toSorted());
  const live = comparable(updatesOf(happenings, host));
  expect(live.length).toBeGreaterThan(40);
  expect(comparable(updatesOf(happenings, { ...host, replay: true }))).toEqual(live);
});

test("each event that is shown carries its record, live and in replay, and each once in words", () => {
  const silent = new Set(["SESSION_CREATED", "SESSION_RESUMED"]);
  const happenings = logged(LONG_SESSION);
  const expected = happenings
    .filter(isEvent)
    .filter(
      ({ type, payload }) =>
        !silent.has(type) && !("state" in payload && payload.state === "connecting"),
    )
    .map(({ seq }) => seq);
  for (const replay of [false, true]) {
    const updates = updatesOf(happenings, { replay });
    const seqs = [...new Set(updates.flatMap((update) => recordOf(update)?.seq ?? []))];
    expect(seqs.toSorted((a, b) => a - b)).toEqual(expected);
    const said = updates.filter((update) => recordOf(update)?.type === "ERROR");
    expect(said).toHaveLength(3);
  }
});

/** Turns and what is between them, with pieces of the texts that are logged. */
function anyHappenings(): fc.Arbitrary<Happening[]> {
  // Halves of characters, which pieces part and which stand alone, and what JSON and terminals mind.
  const unit = fc.constantFrom(0x61, 0xd83d, 0xde00, 0, 0x1b, 0x0a, 0x60, 0x4e2d);
  const text = fc
    .array(unit, { minLength: 1, maxLength: 6 })
    .map((units) => String.fromCharCode(...units));
  const pieces = fc.array(text, { minLength: 1, maxLength: 4 });
  const part = fc.oneof(
    fc.tuple(fc.constant("said" as const), pieces, fc.boolean()),
    fc.tuple(fc.constant("whole" as const), pieces, fc.boolean()),
    fc.tuple(fc.constant("call" as const), pieces, fc.boolean()),
    fc.tuple(fc.constant("note" as const), fc.constantFrom(...NOTES), fc.boolean()),
    fc.tuple(fc.constant("note" as const), fc.constant(usage()), fc.constant(true)),
  );
  return fc.array(fc.array(part, { maxLength: 6 }), { maxLength: 5 }).map((turns) =>
    turns.flatMap((parts, turn) => {
      const id = `t${turn}`;
      return [
        ...inTurn(id, prompt("Go.")),
        ...parts.flatMap(([kind, content, flag], index): Happening[] => {
          const own = `${turn}-${index}`;
          if (kind === "note") return flag ? inTurn(id, content) : outside(content);
          const whole = content.join("");
          if (kind === "whole") return inTurn(id, message(own, whole));
          if (kind === "said") {
            const thought = content.map((piece) => delta(`${own}r`, piece, "reasoning"));
            const shown = content.map((piece) => delta(own, piece));
            const both = inTurn(id, message(`${own}r`, whole, "reasoning"), message(own, whole));
            const all = [...thought, ...shown, ...both, ...inTurn(id, usage())];
            // Servers come and go before the first piece, between two, and before the message is logged.
            return flag ? all.flatMap((one) => [...outside(server("connected")), one]) : all;
          }
          const shown = content.map((piece) => output(own, piece));
          const end = flag
            ? inTurn(id, result(own, { output: [{ type: "text", text: whole }] }))
            : [];
          return [...inTurn(id, call(own)), started(own), ...shown, ...end];
        }),
      ];
    }),
  );
}

test("whatever a session does, it is shown again as it was shown live", () => {
  fc.assert(
    fc.property(anyHappenings(), fc.constantFrom(...HOSTS), (happenings, host) => {
      // A turn ends the session: what is said after the last one differs, because live there is no turn for it.
      const all = logged([...happenings, ...inTurn("end", prompt("End."), message("end", "Bye."))]);
      const live = comparable(updatesOf(all, host));
      expect(comparable(updatesOf(all, { ...host, replay: true }))).toEqual(live);
    }),
    { numRuns: 100 },
  );
});

test("a real turn with thoughts, edits, commands and a refusal is shown again as a host saw it", async () => {
  const answers = ["allow_once", "reject_once", "allow_once"];
  await using bench = await hostBench({
    steps: [
      {
        reasoning: "First the file.",
        text: "I write it.",
        toolCalls: [
          { id: "c1", tool: "write_file", input: { path: "a.txt", content: "x\n" } },
          { id: "c2", tool: "write_file", input: { path: "b.txt", content: "y\n" } },
          { id: "c3", tool: "bash", input: { command: "echo out; exit 3" } },
          {
            id: "c4",
            tool: "update_plan",
            input: { entries: [{ content: "A", status: "completed" }] },
          },
        ],
      },
      { text: "Done." },
    ],
    permission: () => ({
      outcome: { outcome: "selected", optionId: answers.shift() ?? "reject_once" },
    }),
  });
  const { host, cwd, updates, faults } = bench;
  const { sessionId } = await host.request("session/new", { cwd, mcpServers: [] });
  await host.request("session/prompt", { sessionId, prompt: [{ type: "text", text: "Write." }] });
  const shown = (): SessionUpdate[] =>
    updates.filter((one) => one.sessionUpdate !== "available_commands_update");
  const live = shown();
  await host.request("session/close", { sessionId });
  await host.request("session/load", { sessionId, cwd, mcpServers: [] });
  const replayed = shown().slice(live.length);
  expect(comparable(replayed)).toEqual(comparable(live));
  const ends = replayed.flatMap((one) =>
    one.sessionUpdate === "tool_call_update" ? [[one.toolCallId, one.status]] : [],
  );
  expect(ends).toEqual([
    ["c1", "completed"],
    ["c2", "failed"],
    ["c3", "failed"],
    ["c4", "completed"],
  ]);
  expect(faults).toEqual([]);
});

test("what happens while a model writes is said behind its text, live and in replay", () => {
  const happenings = logged([
    ...inTurn("t1", prompt("Go.")),
    ...outside(server("connected")),
    delta("m1", "One "),
    ...outside(server("error")),
    delta("m1", "text."),
    ...inTurn("t1", message("m1", "One text."), usage()),
  ]);
  for (const replay of [false, true]) {
    const updates = updatesOf(happenings, { replay, notices: true });
    const kinds = updates
      .map((update) => update.sessionUpdate)
      .filter((kind) => kind !== "session_info_update");
    const text = replay
      ? ["user_message_chunk", "agent_message_chunk"]
      : ["agent_message_chunk", "agent_message_chunk"];
    expect(kinds).toEqual([...text, "notice", "notice", "usage_update"]);
  }
});
