import { FileSessionStore } from "@acumen/agent";
import {
  lastUserText,
  type ModelReply,
  type NeutralRequest,
  type TestProcess,
} from "@acumen/testkit";
import { expect, test } from "vitest";
import { type AgentPlace, agentPlace, recordsIn, untilNoneIn } from "./support/agent-cli.ts";
import { seededRandom } from "./support/random.ts";

const SEED = 20_261_130;
const ROUNDS = 13;
/** Later moments may come after the end on a fast machine. */
const LAST_MOMENT = 0.85;
/** The contract says two seconds; a busy machine gets some more. */
const GONE_WITHIN_MS = 5_000;

const TURN: readonly ModelReply[] = [
  {
    text: "I write two files.",
    toolCalls: [
      { name: "write_file", input: { path: "a.txt", content: "one\ntwo\n" } },
      { name: "write_file", input: { path: "b.txt", content: "three\n" } },
    ],
  },
  {
    text: "A server in the background, and a command with children of its own.",
    toolCalls: [
      { name: "bash", input: { action: "start", command: "sleep 300" } },
      {
        name: "bash",
        input: { command: "sleep 300 > /dev/null & echo one; sleep 0.2; echo two; kill %1" },
      },
    ],
  },
  {
    reasoning: { text: "Now the change." },
    text: "I change one of them.",
    toolCalls: [
      {
        name: "apply_patch",
        input: {
          patch: "*** Begin Patch\n*** Update File: a.txt\n@@\n-one\n+ONE\n two\n*** End Patch\n",
        },
      },
    ],
  },
  { toolCalls: [{ name: "bash", input: { command: "cat a.txt b.txt; sleep 0.1" } }] },
  { text: "Both files are written, and one is changed." },
];

/** Answers by the conversation alone, so that it does not matter which process asks. */
function answer(request: NeutralRequest): ModelReply {
  if (lastUserText(request).includes("Go on.")) return { text: "Going on." };
  const steps = request.messages.filter(({ role }) => role === "assistant").length;
  return { chunkSize: 8, delayMs: 4, ...TURN[steps] };
}

const RUN = ["run", "--json", "--deltas", "--mode", "auto", "--trust-once"] as const;

function startTurn(place: AgentPlace, cwd: string): TestProcess {
  const run = place.start([...RUN, "Write two files and change one."], cwd);
  run.child.stdin.end();
  return run;
}

/** Waits until the process has printed this many lines, then kills it that many milliseconds later. */
async function killAt(run: TestProcess, line: number, laterMs: number): Promise<void> {
  await run.waitFor("stdout", new RegExp(`^(?:.*\\n){${line}}`), 60_000).catch(() => undefined);
  await new Promise((resolve) => setTimeout(resolve, laterMs));
  run.kill("SIGKILL");
  await run.exited;
}

/** Every call has a result, and no result is without its call. */
function unpaired({ messages }: NeutralRequest): string[] {
  const idsOf = (type: "tool-call" | "tool-result"): string[] =>
    messages.flatMap(({ parts }) => parts.flatMap((part) => (part.type === type ? [part.id] : [])));
  const calls = idsOf("tool-call");
  const results = idsOf("tool-result");
  return [
    ...calls.filter((id) => results.filter((each) => each === id).length !== 1),
    ...results.filter((id) => !calls.includes(id)),
  ];
}

test("kill -9 at any moment of a turn: the session opens, is consistent and goes on, and nothing is left running", async () => {
  await using place = await agentPlace(answer);
  const store = new FileSessionStore({ home: place.home });
  const whole = startTurn(place, await place.workspace("whole"));
  expect((await whole.exited).code, whole.stderr()).toBe(0);
  const lines = recordsIn(whole.stdout());
  expect(lines.at(-1)).toMatchObject({ type: "result", stop_reason: "end_turn" });
  expect(lines.length).toBeGreaterThan(30);

  const random = seededRandom(SEED);
  const moments: string[] = [];
  let interrupted = 0;
  for (let round = 0; round < ROUNDS; round += 1) {
    const cwd = await place.workspace(`round-${round}`);
    // One of each stretch of the turn, so that its beginning and its end are met too.
    const line = 1 + Math.floor(((round + random()) / ROUNDS) * LAST_MOMENT * lines.length);
    const laterMs = Math.floor(random() * 60);
    await using run = startTurn(place, cwd);
    await killAt(run, line, laterMs);
    const printed = recordsIn(run.stdout());
    const last = printed.at(-1)?.["type"];
    moments.push(`line ${line} + ${laterMs} ms: after ${String(last)}`);
    const where = `seed ${SEED}, round ${round}, ${moments.at(-1)}`;
    if (last !== "result") interrupted += 1;
    await untilNoneIn(cwd, GONE_WITHIN_MS);

    const id = String(printed[0]?.["session_id"]);
    const { events } = await store.read(id);
    expect(
      events.map(({ seq }) => seq),
      where,
    ).toEqual(events.map((_event, index) => index + 1));
    const told = printed.filter(({ seq }) => seq !== undefined);
    expect(events.slice(0, told.length), where).toEqual(told);

    const before = place.server.calls.length;
    await using next = place.start([...RUN, "--session", id, "Go on."], cwd);
    next.child.stdin.end();
    expect((await next.exited).code, `${where}\n${next.stderr()}`).toBe(0);
    expect(recordsIn(next.stdout()).at(-1), where).toMatchObject({
      session_id: id,
      stop_reason: "end_turn",
      text: "Going on.",
    });
    const [request, ...more] = place.server.calls.slice(before);
    expect(more, where).toEqual([]);
    expect(request && unpaired(request), where).toEqual([]);
    const after = await store.read(id);
    expect(after.skipped, where).toEqual([]);
    expect(after.events.slice(0, events.length), where).toEqual(events);
    await untilNoneIn(cwd, GONE_WITHIN_MS);
  }
  console.info(`seed ${SEED}\n${moments.join("\n")}`);
  // The service refuses what a provider would refuse: calls without results among it.
  expect(place.server.requests.map(({ refusal }) => refusal).filter(Boolean)).toEqual([]);
  expect(interrupted).toBeGreaterThanOrEqual(10);
}, 600_000);
