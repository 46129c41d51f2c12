import fc from "fast-check";
import type { MadeBy } from "../../src/events/event-payloads.ts";
import type { EventPayload } from "../../src/events/session-event.ts";
import { LogBuilder } from "./log-builder.ts";

const text = fc.oneof(fc.constant(""), fc.constant(" "), fc.string({ unit: "binary" }));
const kind = fc.constantFrom<EventPayload<"ASSISTANT_MESSAGE">["kind"]>(
  "assistant",
  "reasoning",
  "command",
);
const status = fc.constantFrom<EventPayload<"TOOL_RESULT">["status"]>(
  "completed",
  "failed",
  "rejected",
  "cancelled",
);
const call = fc.record({
  /** Few: models use ids again. */
  id: fc.constantFrom("call_0", "call_1", "functions.bash:0", "", "x".repeat(80)),
  name: fc.oneof(fc.constant("bash"), fc.string({ unit: "binary" })),
  input: fc.oneof(fc.jsonValue(), fc.string({ unit: "binary" })),
  maker: fc.nat(),
  output: text,
  status,
  answered: fc.constantFrom("at once", "in the end", "never"),
});
const step = fc.record({
  said: fc.array(fc.record({ kind, text, maker: fc.nat() }), { maxLength: 3 }),
  calls: fc.array(call, { maxLength: 3 }),
  after: fc.constantFrom("nothing", "continue", "restored", "previews", "checkpoint", "command"),
  compactAt: fc.nat(),
});

/** Any turn, sensible or not. */
export const anyTurn = fc.record({ prompt: text, steps: fc.array(step, { maxLength: 4 }) });

type Taken<T> = T extends fc.Arbitrary<infer Value> ? Value : never;
type Step = Taken<typeof step>;

/** A model that words and calls come from, with the metadata that it gave them. */
export interface Maker {
  readonly by: MadeBy;
  readonly metadata?: Readonly<Record<string, unknown>>;
  /** Its service gives out no other ids than it takes. */
  readonly plainIds?: boolean;
}

/** The log that these turns leave; what no model of the list made was made by nobody knows whom. */
export function write(
  turns: readonly Taken<typeof anyTurn>[],
  makers: readonly Maker[],
): LogBuilder {
  const log = new LogBuilder();
  const makerOf = (index: number): Maker | undefined => makers[index % (makers.length + 1)];
  const made = (
    index: number,
  ): Pick<EventPayload<"TOOL_CALL">, "made_by" | "provider_metadata"> => {
    const maker = makerOf(index);
    if (maker === undefined) return {};
    const { by, metadata } = maker;
    return { made_by: by, ...(metadata !== undefined && { provider_metadata: { ...metadata } }) };
  };
  for (const { prompt, steps } of turns) {
    log.user(prompt);
    for (const taken of steps) {
      log.step();
      for (const { text: words, kind: kindOf, maker } of taken.said) {
        log.say(words, { kind: kindOf, ...made(maker) });
      }
      const calls = taken.calls.map((each) => ({
        ...each,
        id: idOf(each.id, makerOf(each.maker)),
      }));
      for (const { id, name, input, maker, answered, output, status: end } of calls) {
        log.call(id, name, input, made(maker));
        if (answered === "at once") log.result(id, output, { status: end });
      }
      for (const { id, answered, output, status: end } of calls) {
        if (answered === "in the end") log.result(id, output, { status: end });
      }
      goOn(log, taken);
    }
  }
  return log;
}

function idOf(id: string, maker: Maker | undefined): string {
  if (maker?.plainIds !== true) return id;
  return id.replace(/[^a-zA-Z0-9_-]/g, "_").slice(0, 64) || "call";
}

function goOn(log: LogBuilder, { after, compactAt }: Step): void {
  if (after === "continue") {
    log.add({ type: "AUTO_CONTINUE", payload: { reason: "open_plan", count: 1 } });
  }
  if (after === "restored") {
    log.add({ type: "FILES_RESTORED", payload: { to_seq: 1, paths: ["a"] } });
  }
  if (after === "command") log.say("listing", { kind: "command" });
  // Wherever it says: a log may be cut where nobody would cut it.
  if (after === "previews") log.compact("tool_previews", compactAt % log.next);
  if (after === "checkpoint") log.compact("checkpoint", compactAt % log.next, "Summary.");
}
