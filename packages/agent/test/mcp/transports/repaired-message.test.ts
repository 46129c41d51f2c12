import { describe, expect, test } from "vitest";
import { repairedMessage, unreadableAnswer } from "../../../src/mcp/transports/repaired-message.ts";

const answer = (id: unknown, rest: object): object => ({ jsonrpc: "2.0", id, ...rest });
const refused = (id: unknown, message: string, code = -32_603): object =>
  answer(id, { error: { code, message } });

describe("answers that are none by the letter", () => {
  test.each([
    [answer(7, { result: { content: [], _meta: null } }), answer(7, { result: { content: [] } })],
    [
      answer("7", { result: { a: 1, _meta: { b: 2 } } }),
      answer("7", { result: { a: 1, _meta: { b: 2 } } }),
    ],
    [answer(7, { result: null }), refused(7, "It answered with a result that is no object.")],
    [answer(7, {}), refused(7, "It answered with a result that is no object.")],
    [answer(7, { error: { message: "no" } }), refused(7, "no")],
    [answer(7, { error: { code: "E1" } }), refused(7, "It gave an error without a message.")],
    [answer(7, { error: { code: 5, message: "no", data: 1 } }), refused(7, "no", 5)],
  ])("%j", (message, repaired) => {
    expect(repairedMessage(message)).toEqual(repaired);
  });

  test.each([
    [null],
    ["text"],
    [[]],
    [{}],
    [{ method: "ping", id: 1 }],
    [{ jsonrpc: "2.0", id: null, result: {} }],
    [{ id: 7, result: "up" }],
    [{ jsonrpc: "1.0", id: 7 }],
  ])("%j answers nothing", (message) => {
    expect(repairedMessage(message)).toBe(undefined);
  });
});

describe("a line that cannot be read", () => {
  const deep = `${'{"a":'.repeat(500)}1${"}".repeat(500)}`;

  test.each([
    [`{"jsonrpc":"2.0","id":12,"result":${deep}}`, 12],
    [`{"id": "a\\"b" , "jsonrpc": "2.0", "result":${deep}}`, 'a"b'],
    [`{"result":${deep},"jsonrpc":"2.0","id":3}`, 3],
    [`{"result":${deep}, "id":4, "jsonrpc":"2.0"}`, 4],
  ])("is an error for whoever waits for it: %s", (line, id) => {
    expect(unreadableAnswer(line, "too deep.")).toEqual(
      refused(id, "Its answer cannot be read: too deep."),
    );
  });

  test.each([
    [`{"jsonrpc":"2.0","id":12,"method":"ping","params":${deep}}`],
    [`{"jsonrpc":"2.0","method":"notifications/x","params":${deep}}`],
    ["{ no json"],
    [`{"x":${deep}}`],
    [`{"id":5,"x":${deep}}`],
  ])("that answers nothing stays one: %s", (line) => {
    expect(unreadableAnswer(line, "too deep.")).toBe(undefined);
  });
});
