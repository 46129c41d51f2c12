import { parseJSONRPCMessage } from "@modelcontextprotocol/client";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readMessages, UNREADABLE } from "../../../src/mcp/transports/read-messages.ts";

const answer = (id: unknown, rest: object): object => ({ jsonrpc: "2.0", id, ...rest });
const unreadable = (id: unknown, message: unknown): object =>
  answer(id, { error: { code: -32_603, message, data: UNREADABLE } });
const noneRequired = { requiredKeys: [] };
const deep = (levels: number): string => `${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`;

function read(value: unknown): readonly unknown[] {
  return readMessages(JSON.stringify(value)).messages;
}

describe("messages by the letter", () => {
  test.each([
    [answer(7, { result: { content: [], _meta: { a: 1 } } })],
    [answer("7", { error: { code: 5, message: "no", data: [1] } })],
    [answer(7, { method: "ping" })],
    [{ jsonrpc: "2.0", method: "notifications/x", params: { _meta: { progressToken: 1 } } }],
  ])("stay as they are: %j", (message) => {
    expect(readMessages(JSON.stringify(message))).toEqual({ messages: [message], isExact: true });
  });

  test("come in batches too", () => {
    const batch = [answer(7, { result: {} }), answer(8, { method: "ping" })];
    expect(readMessages(JSON.stringify(batch))).toEqual({ messages: batch, isExact: true });
  });
});

describe("messages that are none by the letter", () => {
  const neither = "It has neither a result nor an error.";
  const noObject = "It has a result that is no object.";

  test.each([
    [answer(7, { result: { a: 1, _meta: null } }), answer(7, { result: { a: 1 } })],
    [answer(7, { result: { a: 1, _meta: "x" } }), answer(7, { result: { a: 1 } })],
    [answer(7, { result: { a: 1 }, error: null }), answer(7, { result: { a: 1 } })],
    [answer(7, { result: {}, _meta: {}, time: 1 }), answer(7, { result: {} })],
    [answer(7, { result: null }), unreadable(7, noObject)],
    [answer(7, { result: [1] }), unreadable(7, noObject)],
    [answer(7, { result: "done" }), unreadable(7, noObject)],
    [answer(7, {}), unreadable(7, neither)],
    [answer(7, { error: null }), unreadable(7, neither)],
    [
      answer(7, { error: { message: "no" }, result: null }),
      answer(7, { error: { code: -32_603, message: "no" } }),
    ],
    [
      answer(7, { error: { code: "-32000", message: "no" } }),
      answer(7, { error: { code: -32_000, message: "no" } }),
    ],
    [answer(7, { error: "no" }), answer(7, { error: { code: -32_603, message: "no" } })],
    [
      answer(7, { error: { code: 5, detail: "x" } }),
      answer(7, { error: { code: 5, message: '{"code":5,"detail":"x"}' } }),
    ],
    [answer(7, { method: "ping", params: null }), answer(7, { method: "ping" })],
    [answer(7, { method: "ping", params: [1] }), answer(7, { method: "ping" })],
    [
      answer(7, { method: "ping", params: { a: 1, _meta: null } }),
      answer(7, { method: "ping", params: { a: 1 } }),
    ],
    [
      answer(7, { method: "ping", params: { a: 1, _meta: { progressToken: null } } }),
      answer(7, { method: "ping", params: { a: 1 } }),
    ],
    [answer(null, { method: "notifications/x" }), { jsonrpc: "2.0", method: "notifications/x" }],
  ])("are taken for what they mean: %j", (message, meant) => {
    expect(readMessages(JSON.stringify(message))).toEqual({ messages: [meant], isExact: false });
  });

  test.each([
    [null],
    ["text"],
    [17],
    [[]],
    [{}],
    [{ level: "info", id: 7 }],
    [{ id: 7, result: "up" }],
    [{ jsonrpc: "1.0", id: 7, result: {} }],
    [{ jsonrpc: "2.0", id: null, result: {} }],
    [{ jsonrpc: "2.0", id: {}, result: {} }],
    [{ jsonrpc: "2.0", id: 1.5, result: {} }],
  ])("are none at all: %j", (value) => {
    expect(read(value)).toEqual([]);
  });

  test("of a batch, those that are messages count", () => {
    expect(read([null, answer(7, { result: { _meta: null } }), { x: 1 }])).toEqual([
      answer(7, { result: {} }),
    ]);
  });
});

describe("a text that cannot be parsed", () => {
  const tooDeep = deep(100_001);
  const reason = expect.stringMatching(/^It cannot be read\. .*deeper than 100000 levels/);

  test.each([
    ["the id first", `{"jsonrpc":"2.0","id":12,"result":${tooDeep}}`, 12],
    ["the version behind it", `{ "id": "a-1" , "jsonrpc": "2.0", "error":${tooDeep}}`, "a-1"],
    ["the id last", `{"jsonrpc":"2.0","result":${tooDeep},"id":3}`, 3],
    ["everything last", `{"result":${tooDeep}, "id":4, "jsonrpc":"2.0"}`, 4],
  ])("is an error for whoever waits for it: %s", (_where, text, id) => {
    expect(readMessages(text).messages).toEqual([unreadable(id, reason)]);
  });

  test("is one also when it is cut in the middle", () => {
    const { messages } = readMessages('{"jsonrpc":"2.0","id":12,"result":{"content":[{"te');
    expect(messages).toEqual([unreadable(12, expect.stringMatching(/not valid JSON/))]);
  });

  test.each([
    ["a request", `{"jsonrpc":"2.0","id":12,"method":"ping","params":${tooDeep}}`],
    ["a notification", `{"jsonrpc":"2.0","method":"notifications/x","params":${tooDeep}}`],
    ["a line of a log", '2026-11-30 sent {"jsonrpc":"2.0","id":12,"result":{'],
    ["no message", `{"id":5,"result":${tooDeep}}`],
    ["an id further inside", `{"jsonrpc":"2.0","method":"x","params":[${tooDeep},{"id":5}]}`],
    ["nothing", "{ no json"],
  ])("answers nothing when it is %s", (_what, text) => {
    expect(readMessages(text).messages).toEqual([]);
  });
});

test("answers may be deep, what is asked of us may not", () => {
  const result = readMessages(`{"jsonrpc":"2.0","id":1,"result":${deep(50_000)}}`);
  expect(result.isExact).toBe(true);
  expect(result.messages).toHaveLength(1);
  const asked = `{"jsonrpc":"2.0","id":1,"method":"roots/list","params":${deep(300)}}`;
  expect(readMessages(asked).messages).toEqual([]);
});

test("whatever is read, the SDK takes it, and what is said to be exact stands there like that", () => {
  const json = fc.jsonValue({ maxDepth: 3 });
  const meta = fc.option(
    fc.record({ progressToken: json, "io.modelcontextprotocol/related-task": json }, noneRequired),
  );
  const fields = fc.oneof(json, fc.record({ _meta: meta, a: json }, noneRequired));
  const error = fc.oneof(
    json,
    fc.record({ code: fc.oneof(fc.integer(), json), message: json, data: json }, noneRequired),
  );
  const message = fc.record(
    {
      jsonrpc: fc.constantFrom("2.0", "2.0", "2.0", "1.0"),
      id: fc.oneof(fc.integer(), fc.string(), json),
      method: fc.oneof(fc.constantFrom("ping", "notifications/x"), json),
      params: fields,
      result: fields,
      error,
      more: json,
    },
    noneRequired,
  );
  fc.assert(
    fc.property(fc.oneof(message, fc.array(message), json), (value) => {
      const { messages, isExact } = readMessages(JSON.stringify(value));
      for (const each of messages) expect(parseJSONRPCMessage(each)).toEqual(each);
      if (isExact && messages.length > 0)
        expect([messages, messages[0]]).toContainEqual(JSON.parse(JSON.stringify(value)));
    }),
    { numRuns: 400 },
  );
});

test("nothing that is written makes it throw", () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      readMessages(text);
      readMessages(`{"jsonrpc":"2.0","id":1,"result":${text}`);
    }),
  );
});
