import type { EventDraft, SessionEvent } from "@acumen/agent";
import fc from "fast-check";
import { expect, test } from "vitest";
import { EVENT_KEY, eventMeta } from "../../src/mapping/event-record.ts";
import { call, message, result } from "./support/drafts.ts";
import { inTurn, isEvent, logged } from "./support/scripted-session.ts";

interface Payload {
  readonly [key: string]: unknown;
}

function payloadOf(draft: EventDraft): Payload {
  const [event] = logged(inTurn("t1", draft)).filter(isEvent);
  const record = eventMeta(event as SessionEvent)[EVENT_KEY];
  expect(Object.keys(record)).toEqual(["seq", "type", "payload"]);
  return JSON.parse(JSON.stringify(record["payload"])) as Payload;
}

test("a small payload stays as it is", () => {
  const draft = call("c1", {
    locations: [{ path: "/w/a", line: 2 }],
    input: { a: [1, null, true] },
  });
  expect(payloadOf(draft)).toEqual(draft.payload);
});

test("leaves out Base64, documents, texts of diffs and what only a provider reads", () => {
  const secret = "QkFTRTY0".repeat(10);
  const diff = [{ path: "/w/a", old_text: secret, new_text: secret }];
  const shown = payloadOf(
    result("c1", {
      diff,
      output: [
        { type: "image", mime_type: "image/png", data: secret },
        { type: "audio", mime_type: "audio/wav", data: secret },
        { type: "resource", uri: "mem://a", mime_type: "text/plain", text: secret },
        { type: "resource", uri: "mem://b", blob: secret },
        { type: "resource_link", uri: "file:///a", name: "a" },
        { type: "structured", data: { rows: 3 } },
      ],
    }),
  );
  expect(JSON.stringify(shown)).not.toContain(secret);
  expect(shown["diff"]).toEqual([{ path: "/w/a" }]);
  expect(shown["output"]).toEqual([
    { type: "image", mime_type: "image/png" },
    { type: "audio", mime_type: "audio/wav" },
    { type: "resource", uri: "mem://a", mime_type: "text/plain" },
    { type: "resource", uri: "mem://b" },
    { type: "resource_link", uri: "file:///a", name: "a" },
    { type: "structured", data: { rows: 3 } },
  ]);
  const signed = message("m1", "Hm.", "reasoning");
  const payload = { ...signed.payload, provider_metadata: { signature: secret } };
  expect(payloadOf({ ...signed, payload } as EventDraft)).toEqual(signed.payload);
});

test("cuts a text at 2,000 characters, without half of one", () => {
  const { text } = payloadOf(message("m1", `${"x".repeat(1_999)}\u{1F600}${"y".repeat(50)}`));
  expect(text).toBe(`${"x".repeat(1_999)}…`);
});

test("is bounded, whatever an input or an answer holds", () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 12 }), fc.nat(300), (value, times) => {
      const input = Array.from({ length: times }, () => value);
      const shown = payloadOf(
        call("c1", { input, title: "t".repeat(times), exposed_name: JSON.stringify(value) }),
      );
      expect(shown).toMatchObject({ call_id: "c1" });
      expect(JSON.stringify(shown).length).toBeLessThan(130_000);
    }),
    { numRuns: 50 },
  );
  const grid = Array.from({ length: 100 }, () => Array.from({ length: 100 }, () => [1e21, null]));
  expect(JSON.stringify(payloadOf(call("c1", { input: grid }))).length).toBeLessThan(18_000);
  const long = payloadOf(
    call("c1", { input: { a: Array.from({ length: 99 }, () => "z".repeat(1_000)) } }),
  );
  expect(JSON.stringify(long).length).toBeLessThan(18_000);
});
