import fc from "fast-check";
import { expect, test } from "vitest";
import type { ContentBlock, EventDraft, EventPayload } from "../../src/index.ts";
import { createRedactor } from "../../src/redaction/redactor.ts";
import { redactEvent } from "../../src/turn/redact-event.ts";

const SECRET = "hunter2-and-more-of-it";
const redact = createRedactor([SECRET]);

function call(input: unknown, more: Partial<EventPayload<"TOOL_CALL">> = {}): EventDraft {
  const payload: EventPayload<"TOOL_CALL"> = {
    call_id: "c1",
    tool: "look",
    exposed_name: "look",
    kind: "read",
    title: `look ${SECRET}`,
    input,
    locations: [{ path: `/tmp/${SECRET}`, line: 3 }],
    diff: [{ path: "a", old_text: null, new_text: SECRET }],
    ...more,
  };
  return { type: "TOOL_CALL", payload };
}

function inputOf(draft: EventDraft): unknown {
  return draft.type === "TOOL_CALL" ? redactEvent(draft, redact).payload : undefined;
}

test("a call's input is redacted whatever its fields are called, at any depth", () => {
  const draft = call({
    data: SECRET,
    blob: SECRET,
    provider_metadata: { key: SECRET },
    list: [{ data: SECRET, output: [{ type: "image", data: SECRET }] }],
  });
  expect(JSON.stringify(inputOf(draft))).not.toContain(SECRET);
  expect(inputOf(draft)).toMatchObject({
    input: {
      data: "[hidden]",
      blob: "[hidden]",
      provider_metadata: { key: "[hidden]" },
      list: [{ data: "[hidden]", output: [{ type: "image", data: "[hidden]" }] }],
    },
    locations: [{ path: "/tmp/[hidden]", line: 3 }],
  });
});

test("names of fields are redacted too, and no field is lost by it", () => {
  const input = JSON.parse(
    `{"${SECRET}": 1, "[hidden]": 2, "x${SECRET}": 3, "x${SECRET.toUpperCase()}": 4, "__proto__": {"${SECRET}": 5}}`,
  ) as unknown;
  const { input: safe } = inputOf(call(input)) as { input: unknown };
  expect(JSON.stringify(safe)).toBe(
    `{"[hidden] 2":1,"[hidden]":2,"x[hidden]":3,"x${SECRET.toUpperCase()}":4,"__proto__":{"[hidden]":5}}`,
  );
  const two = createRedactor([SECRET, "another-long-secret"]);
  const draft = call({ [SECRET]: "a", "another-long-secret": "b" });
  expect(redactEvent(draft, two).payload).toMatchObject({
    input: { "[hidden]": "a", "[hidden] 2": "b" },
  });
});

test("what the provider wants back stays as it came, of messages and calls alone", () => {
  const metadata = { provider: { signature: SECRET } };
  expect(inputOf(call({}, { provider_metadata: metadata }))).toMatchObject({
    provider_metadata: metadata,
  });
  const message = redactEvent(
    {
      type: "ASSISTANT_MESSAGE",
      payload: {
        message_id: "m",
        kind: "reasoning",
        text: SECRET,
        skill_ids: [],
        provider_metadata: metadata,
      },
    },
    redact,
  );
  expect(message.payload).toMatchObject({ text: "[hidden]", provider_metadata: metadata });
});

test("Base64 of images, sounds and documents stays; what is none, and every other field, does not", () => {
  // Holds what is an AWS key where it stands in a text.
  const base64 = `AKIA${"A".repeat(16)}+/AA==`;
  expect(redact(base64)).not.toBe(base64);
  const blocks: ContentBlock[] = [
    { type: "image", mime_type: SECRET, data: base64 },
    { type: "audio", mime_type: "audio/wav", data: base64 },
    { type: "resource", uri: `file:///${SECRET}`, blob: base64, text: SECRET },
    { type: "image", mime_type: "image/png", data: SECRET },
    { type: "resource", uri: "file:///a", blob: SECRET },
    { type: "structured", data: base64 },
    { type: "structured", data: { data: SECRET, [SECRET]: { blob: base64 } } },
    { type: "text", text: base64 },
  ];
  const safe = [
    { type: "image", mime_type: "[hidden]", data: base64 },
    { type: "audio", mime_type: "audio/wav", data: base64 },
    { type: "resource", uri: "file:///[hidden]", blob: base64, text: "[hidden]" },
    { type: "image", mime_type: "image/png", data: "[hidden]" },
    { type: "resource", uri: "file:///a", blob: "[hidden]" },
    { type: "structured", data: redact(base64) },
    { type: "structured", data: { data: "[hidden]", "[hidden]": { blob: redact(base64) } } },
    { type: "text", text: redact(base64) },
  ];
  const prompt: EventDraft = { type: "USER_MESSAGE", payload: { content: blocks, source: "t" } };
  expect(redactEvent(prompt, redact).payload).toEqual({ content: safe, source: "t" });
  const result: EventDraft = {
    type: "TOOL_RESULT",
    payload: {
      call_id: "c1",
      status: "completed",
      output: blocks,
      exit_code: null,
      duration_ms: 1,
      truncated: false,
      diff: [{ path: "a", old_text: SECRET, new_text: "b" }],
    },
  };
  expect(redactEvent(result, redact).payload).toMatchObject({
    output: safe,
    diff: [{ old_text: "[hidden]" }],
  });
});

test("Base64 of a text loses the secrets of the text, whatever it is said to be", () => {
  const data = Buffer.from(`<svg>${SECRET}</svg>`).toString("base64");
  const safe = Buffer.from("<svg>[hidden]</svg>").toString("base64");
  const blocks = (bytes: string): ContentBlock[] => [
    { type: "image", mime_type: "image/svg+xml", data: bytes },
    { type: "audio", mime_type: "audio/wav", data: bytes },
    { type: "resource", uri: "file:///a", blob: bytes },
  ];
  const draft: EventDraft = {
    type: "USER_MESSAGE",
    payload: { content: blocks(data), source: "t" },
  };
  expect(redactEvent(draft, redact).payload).toEqual({ content: blocks(safe), source: "t" });
});

test("whatever a call's input is, no secret is left and nothing else is changed", () => {
  const key = fc.oneof(fc.constantFrom("data", "blob", "provider_metadata", SECRET), fc.string());
  const { tree } = fc.letrec((tie) => ({
    tree: fc.oneof(
      { maxDepth: 4 },
      fc.oneof(fc.constant(SECRET), fc.string(), fc.integer(), fc.constant(null)),
      fc.array(tie("tree"), { maxLength: 4 }),
      fc.dictionary(key, tie("tree"), { maxKeys: 4 }),
    ),
  }));
  fc.assert(
    fc.property(tree, (input) => {
      const { input: safe } = inputOf(call(input)) as { input: unknown };
      const text = JSON.stringify(safe);
      expect(text).not.toContain(SECRET);
      const given = JSON.stringify(input);
      if (!given.includes(SECRET) && redact(given) === given) expect(text).toBe(given);
    }),
  );
});
