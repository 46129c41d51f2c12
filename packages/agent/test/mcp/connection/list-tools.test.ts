import { describe, expect, it } from "vitest";
import { listTools } from "../../../src/mcp/connection/list-tools.ts";
import { type ListAnswer, TOOL_FAULT } from "../../../src/mcp/connection/mcp-connection.ts";
import type { RawAnswer, RawRequests } from "../../../src/mcp/connection/raw-requests.ts";
import { readListedTool } from "../../../src/mcp/tools/read-listed-tool.ts";

const never = new AbortController().signal;
type Page = { readonly tools?: unknown; readonly nextCursor?: unknown };

/** Answers with pages; `asked` holds the cursors. */
async function listed(
  page: (cursor: unknown, number: number) => Page | RawAnswer,
): Promise<{ answer: ListAnswer; asked: unknown[] }> {
  const asked: unknown[] = [];
  const requests: Pick<RawRequests, "request"> = {
    request: async (method, params) => {
      expect(method).toBe("tools/list");
      asked.push(params["cursor"]);
      const answer = page(params["cursor"], asked.length);
      return "kind" in answer ? answer : { kind: "result", result: answer };
    },
  };
  const options = { signal: never, timeoutMs: 1_000 };
  const described = ({ kind }: { kind: string }): string => `described ${kind}`;
  const answer = await listTools(requests as RawRequests, options, described);
  return { answer, asked };
}

const tools = (from: number, count: number): object[] =>
  Array.from({ length: count }, (_, index) => ({ name: `t${from + index}` }));
const namesOf = (answer: ListAnswer): unknown => answer.ok && answer.tools.map(({ name }) => name);

describe("listTools", () => {
  it("follows cursors of both kinds to the end, the empty one too", async () => {
    const next: Record<string, unknown> = { undefined: "", "": 7, 7: "last", last: null };
    const { answer, asked } = await listed((cursor, number) => ({
      tools: tools(number, 1),
      nextCursor: next[String(cursor)],
    }));
    expect(asked).toEqual([undefined, "", 7, "last"]);
    expect(answer).toEqual({ ok: true, tools: tools(1, 4) });
  });

  it("stops at a cursor that comes again and does not count its page twice", async () => {
    const { answer, asked } = await listed(() => ({ tools: tools(1, 2), nextCursor: "again" }));
    expect(asked).toHaveLength(2);
    expect(namesOf(answer)).toEqual(["t1", "t2"]);
  });

  it("stops at a page that comes again under a new cursor", async () => {
    const { answer, asked } = await listed((_cursor, number) => ({
      tools: tools(1, 2),
      nextCursor: `c${number}`,
    }));
    expect(asked).toHaveLength(2);
    expect(answer).toEqual({ ok: true, tools: tools(1, 2) });
  });

  it("goes on after an empty page", async () => {
    const { answer } = await listed((_cursor, number) => ({
      tools: number === 4 ? tools(1, 1) : [],
      ...(number < 4 && { nextCursor: `c${number}` }),
    }));
    expect(namesOf(answer)).toEqual(["t1"]);
  });

  it("reads at most 64 pages and 4,096 tools, and says that there are more", async () => {
    const pages = await listed((_cursor, number) => ({
      tools: tools(number, 1),
      nextCursor: `c${number}`,
    }));
    expect(pages.asked).toHaveLength(64);
    expect(pages.answer).toMatchObject({ ok: true, incomplete: expect.stringMatching(/64 pages/) });
    const many = await listed(() => ({ tools: tools(0, 5_000) }));
    expect(many.answer).toMatchObject({
      ok: true,
      incomplete: expect.stringMatching(/4096 tools/),
    });
    expect(many.answer.ok && many.answer.tools.length).toBe(4_096);
  });

  it("reads at most 16 MB", async () => {
    const description = "x".repeat(6 * 1024 * 1024);
    const { answer, asked } = await listed((_cursor, number) => ({
      tools: [{ name: `t${number}`, description }],
      nextCursor: `c${number}`,
    }));
    expect(asked).toHaveLength(3);
    expect(namesOf(answer)).toEqual(["t1", "t2"]);
    expect(answer).toMatchObject({ incomplete: expect.stringMatching(/characters/) });
  });

  it("leaves out entries that are no objects, and keeps the names of those that are nested without end", async () => {
    let deep: object = {};
    for (let depth = 0; depth < 200_000; depth += 1) deep = { deep };
    const entries = [null, 7, "tool", ["tool"], { name: "good" }, { name: "deep", deep }];
    const { answer } = await listed(() => ({ tools: entries }));
    const fault = "Its definition nests deeper than 200 levels.";
    const tools = [{ name: "good" }, { name: "deep", [TOOL_FAULT]: fault }];
    expect(answer).toEqual({ ok: true, tools, incomplete: expect.stringMatching(/^4 entries/) });
    const read = answer.ok ? answer.tools.map((tool) => readListedTool(tool)) : [];
    expect(read).toMatchObject([{ ok: true }, { ok: false, tool: "deep", reason: fault }]);
  });

  it.each([
    ["a page without tools", { nextCursor: "c" }],
    ["tools that are no array", { tools: {} }],
    ["null", { kind: "result", result: null } as const],
  ])("fails for %s, on the second page too", async (_what, broken) => {
    const first = await listed(() => broken);
    expect(first.answer).toMatchObject({ ok: false, message: expect.stringMatching(/Page 1/) });
    const second = await listed((_cursor, number) =>
      number === 1 ? { tools: tools(1, 1), nextCursor: "c" } : broken,
    );
    expect(second.answer).toMatchObject({ ok: false, message: expect.stringMatching(/Page 2/) });
  });

  it("takes a server that does not know the method for one without tools, on the first page alone", async () => {
    const unknown = { kind: "error", code: -32_601, message: "Method not found" } as const;
    expect((await listed(() => unknown)).answer).toEqual({ ok: true, tools: [] });
    const error = Object.assign(new Error("HTTP"), {
      data: { status: 404, text: JSON.stringify({ error: unknown }) },
    });
    expect((await listed(() => ({ kind: "failed", error }))).answer).toEqual({
      ok: true,
      tools: [],
    });
    const later = await listed((_cursor, number) =>
      number === 1 ? { tools: [], nextCursor: "c" } : unknown,
    );
    expect(later.answer).toEqual({ ok: false, message: "described error" });
    const other = await listed(() => ({ kind: "error", code: -32_000, message: "no" }));
    expect(other.answer).toEqual({ ok: false, message: "described error" });
  });
});
