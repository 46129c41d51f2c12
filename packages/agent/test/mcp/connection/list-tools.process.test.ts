import { describe, expect, it } from "vitest";
import { connections, stdio } from "./support/connect.ts";

const never = new AbortController().signal;

describe("listing over a connection", () => {
  it.each([
    ["no-tools-capability", { ok: true, tools: [{ name: "echo" }, { name: "environment" }] }],
    [
      "list-error",
      { ok: false, message: expect.stringMatching(/the catalogue is closed \(-32000\)/) },
    ],
    [
      "list-entries-are-no-objects",
      { ok: true, incomplete: expect.stringMatching(/^4 entries/) as unknown },
    ],
    ["new-cursor-for-ever", { ok: true, incomplete: expect.stringMatching(/64 pages/) }],
  ] as const)("copes with %s", async (mode, expected) => {
    await using all = connections();
    const connection = await all.connect(stdio(mode));
    expect(await connection.listTools(never)).toMatchObject(expected);
  });

  it("gives up a list that does not come, and can be aborted", async () => {
    await using all = connections();
    const connection = await all.connect(stdio("list-hangs", { timeoutMs: 200 }));
    expect(await connection.listTools(never)).toEqual({
      ok: false,
      message: 'The MCP server "peer" did not answer the list of tools within 200 ms.',
    });
    const abort = new AbortController();
    const listing = connection.listTools(abort.signal);
    abort.abort();
    await expect(listing).rejects.toMatchObject({ code: "CORE_ABORTED" });
  });
});
