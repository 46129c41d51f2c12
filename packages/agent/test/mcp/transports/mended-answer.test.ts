import { describe, expect, test } from "vitest";
import { mendedBody, mendedEvent, requestIdIn } from "../../../src/mcp/transports/mended-answer.ts";
import { mendedEvents } from "../../../src/mcp/transports/mended-events.ts";
import { UNREADABLE } from "../../../src/mcp/transports/read-messages.ts";

const ID = 1_000_000;
const result = (more: object, id: unknown = ID): string =>
  JSON.stringify({ jsonrpc: "2.0", id, result: more });
const instead = (message: unknown): object => ({
  jsonrpc: "2.0",
  id: ID,
  error: { code: -32_603, message, data: UNREADABLE },
});
const nameless = { jsonrpc: "2.0", id: null, error: { code: -32_700, message: "Parse error" } };

function mended(texts: readonly string[] | undefined): unknown {
  return texts?.map((text) => JSON.parse(text) as unknown);
}

describe("an answer as a whole", () => {
  const mend = mendedBody(ID);

  test.each([
    ["fine", result({ a: 1 })],
    ["fine, with the id as text", result({ a: 1 }, String(ID))],
    ["a batch", `[${result({ a: 1 })},{"jsonrpc":"2.0","method":"x"}]`],
    ["no JSON", "{ no json"],
    ["empty", ""],
  ])("that is %s stays as it is", (_what, text) => {
    expect(mend(text)).toBeUndefined();
  });

  const another = instead(expect.stringContaining("another request"));

  test.each([
    ["null for metadata", result({ a: 1, _meta: null }), JSON.parse(result({ a: 1 }))],
    ["no id", '{"jsonrpc":"2.0","result":{}}', another],
    ["an error for nobody", JSON.stringify(nameless), { ...nameless, id: ID }],
    ["no message", '{"ok":true}', another],
    ["null", "null", another],
    [
      "a result of null",
      `{"jsonrpc":"2.0","id":${ID},"result":null}`,
      instead("It has a result that is no object."),
    ],
  ])("with %s answers the request that it belongs to", (_what, text, expected) => {
    expect(mended(mend(text))).toEqual([expected]);
  });

  test("with the id of another request is passed on, and answers the one that it belongs to", () => {
    expect(mended(mend(result({}, 3)))).toEqual([[JSON.parse(result({}, 3)), another]]);
  });

  test("that nobody waits for is left alone", () => {
    expect(mendedBody(undefined)('{"ok":true}')).toBeUndefined();
  });
});

describe("an event", () => {
  const mend = mendedEvent(ID);

  test.each([
    ["fine", result({ a: 1 })],
    ["a notification", '{"jsonrpc":"2.0","method":"x"}'],
    ["a sign of life", "ping"],
    ["a broken notification", '{"jsonrpc":"2.0","method":"x","params":{'],
  ])("that is %s stays as it is", (_what, text) => {
    expect(mend(text)).toBeUndefined();
  });

  test("with a batch becomes one for each message", () => {
    const batch = `[${result({ a: 1 })},{"jsonrpc":"2.0","method":"x"}]`;
    expect(mended(mend(batch))).toEqual(JSON.parse(batch));
  });

  test.each(['{"jsonrpc":"2.0","result":{}}', "{ no json", '{"ok":true}'])(
    "that cannot be read answers the request whose stream it is: %s",
    (text) => {
      expect(mended(mend(text))).toEqual([instead("It cannot be read.")]);
      expect(mendedEvent(undefined)(text)).toBeUndefined();
    },
  );

  test("with an error for nobody gives it to the request whose stream it is", () => {
    expect(mended(mend(JSON.stringify(nameless)))).toEqual([{ ...nameless, id: ID }]);
  });
});

describe("a stream", () => {
  const upper = (text: string): readonly string[] | undefined =>
    text === "same" ? undefined : text.split("+").map((part) => part.toUpperCase());

  test.each([
    ["data: same\n\n", "data: same\n\n"],
    ["id: 1\r\ndata: same\r\n\r\ndata: a\r\n\r\n", "id: 1\r\ndata: same\r\n\r\ndata: A\n\n"],
    ["event: message\rdata:a\r\r", "event: message\ndata: A\n\n"],
    ["event: endpoint\ndata: /a\n\n", "event: endpoint\ndata: /a\n\n"],
    ["data: {\ndata: }\n\n: keep-alive\n\n", "data: {\\n}\n\n: keep-alive\n\n"],
    ["id: 7\ndata: a+b\n\n", "data: A\n\nid: 7\ndata: B\n\n"],
    ["\n\nretry: 5\n\nrest", "\n\nretry: 5\n\nrest"],
  ])("%j", (text, expected) => {
    const shown = (data: string): readonly string[] | undefined =>
      upper(data)?.map((part) => part.replaceAll("\n", String.raw`\n`));
    expect(mendedEvents(text, shown)).toBe(expected);
  });
});

test("only requests of ours are known by their text", () => {
  expect(requestIdIn('{"jsonrpc":"2.0","id":1000000,"method":"tools/call"}')).toBe(1_000_000);
  expect(requestIdIn('{"method":"initialize","jsonrpc":"2.0","id":0}')).toBeUndefined();
  expect(requestIdIn('{"jsonrpc":"2.0","method":"notifications/x"}')).toBeUndefined();
  expect(requestIdIn(undefined)).toBeUndefined();
});
