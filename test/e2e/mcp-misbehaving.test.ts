import { readFile } from "node:fs/promises";
import type { SessionEvent } from "@acumen/agent";
import { type MisbehavingMode, type MisbehavingOptions, tempFolder } from "@acumen/testkit";
import { describe, expect, test, vi } from "vitest";
import { play } from "./support/mcp-play.ts";
import { calling, misbehaving, openMcpSession } from "./support/mcp-session.ts";

interface Case {
  readonly mode: MisbehavingMode;
  readonly options?: MisbehavingOptions;
  readonly definition?: Readonly<Record<string, unknown>>;
  /** Its reason. */
  readonly says?: RegExp;
  /** What the model was told of the call of `echo`. */
  readonly result?: RegExp;
}

const SOON = { startupTimeoutMs: 1_500 };

function cases(...list: readonly (Case | MisbehavingMode)[]): Case[] {
  return list.map((item) => (typeof item === "string" ? { mode: item } : item));
}

function definitionOf({ mode, options, definition }: Case): Record<string, unknown> {
  return misbehaving(mode, options, definition);
}

// Servers wait for each other nowhere, so most of these cases may run side by side.
describe.concurrent("a server that does not come up", () => {
  test.for(
    cases(
      { mode: "exit-at-start", says: /\b3\b[^]*last words of the server/ },
      { mode: "exit-0-at-start", says: /\b0\b/ },
      { mode: "killed-at-start", says: /SIGKILL/ },
      { mode: "never-initializes", definition: SOON, says: /1\.5 s|1500|1,500|time/i },
      { mode: "never-reads", definition: SOON, says: /1\.5 s|1500|1,500|time/i },
      { mode: "initialize-error", says: /licence expired/ },
      "initialize-nonsense",
      { mode: "future-version", says: /2099-01-01/ },
      { mode: "list-error", says: /catalogue is closed/ },
      { mode: "list-hangs", definition: SOON, says: /1\.5 s|1500|1,500|time/i },
      { mode: "list-is-null", says: /tools/ },
    ),
  )("$mode: error, and why", async (each) => {
    const { status, echo } = await play(definitionOf(each));
    expect(status).toMatchObject({ state: "error", tool_count: 0, protocol_version: null });
    expect(status.reason ?? "").toMatch(each.says ?? /\w{3}/);
    expect(echo?.status).toBe("failed");
  });

  test("stderr-secrets-then-exit: neither the secret of the definition nor a key is shown", async () => {
    const secret = "s3cret-of-the-definition";
    const { status, it } = await play(
      misbehaving("stderr-secrets-then-exit", {}, { env: { SERVER_SECRET: secret } }),
    );
    expect(status).toMatchObject({ state: "error" });
    expect(status.reason).toMatch(/login with[^]*failed/);
    const everything = JSON.stringify([it.session.events, it.model.calls, status]);
    expect(everything).not.toContain(secret);
    expect(everything).not.toContain("sk-k3yV4lue");
  });

  test("crash-after-each-start: restarted with pauses, then left alone, and the reason stays", async () => {
    await play(misbehaving("crash-after-each-start", { delayMs: 50 }), {
      look: async ({ it }) => {
        const status = await it.untilState("bad", "error");
        expect(status.reason).toMatch(/\b9\b[^]*out of licences/);
      },
    });
  });
});

describe.concurrent("a server that comes up in its own way", () => {
  test.for(
    cases(
      "banner",
      "json-that-is-no-message",
      "byte-order-mark",
      "crlf-line-ends",
      "single-bytes",
      "stderr-flood",
      "oldest-version",
      "exit-on-unknown-request",
      { mode: "slow-start", options: { delayMs: 700 } },
      "no-tools-capability",
      "same-cursor-for-ever",
      "new-cursor-for-ever",
      "empty-cursor",
      "list-changed-flood",
      "grandchild",
      "grandchild-that-ignores-sigterm",
      "launcher",
      "ignores-sigterm",
      "ignores-stdin-end",
      "writes-after-stdin-end",
    ),
  )("$mode: connected, its tool answers", async (each) => {
    const { status, echo } = await play(definitionOf(each));
    expect(status, status.reason).toMatchObject({ state: "connected" });
    expect(echo).toMatchObject({ status: "completed" });
    expect(echo?.text).toMatch(/hello|after the flood/);
  });
});

describe.concurrent("a list of tools with bad ones among them", () => {
  test.for(
    cases(
      "no-input-schema",
      "null-input-schema",
      "array-input-schema",
      "deep-input-schema",
      "list-entries-are-no-objects",
      "array-output-schema",
      "broken-output-ref",
      "output-schema-without-structured-content",
      "hostile-descriptions",
    ),
  )("$mode: the good ones work", async (each) => {
    const { status, echo } = await play(definitionOf(each));
    expect(status, status.reason).toMatchObject({ state: "connected" });
    expect(echo).toMatchObject({ status: "completed", text: "hello" });
  });
});

describe.concurrent("a result that no server should send", () => {
  test.for(
    cases(
      { mode: "content-is-a-string", result: /./ },
      { mode: "no-content", result: /./ },
      { mode: "empty-content", result: /./ },
      { mode: "unknown-block", result: /unsupported block[^]*after the hologram/ },
      { mode: "null-fields", result: /^nulls around me$/ },
      { mode: "blocks-without-their-fields", result: /unsupported block/ },
      { mode: "image-that-is-none", result: /./ },
      { mode: "ansi-in-result", result: /red[^]*done/ },
      { mode: "duplicate-response", result: /^first$/ },
      { mode: "id-as-string", result: /^hello$/ },
      { mode: "response-to-unknown-id", result: /^for you$/ },
      { mode: "progress-of-strange-kinds", result: /^after strange progress$/ },
      { mode: "slow-with-progress", definition: { timeoutMs: 700 }, result: /^done after/ },
    ),
  )("$mode: the model gets what can be used of it", async (each) => {
    const { status, echo } = await play(definitionOf(each));
    expect(status).toMatchObject({ state: "connected" });
    expect(echo).toMatchObject({ status: "completed" });
    expect(echo?.text).toMatch(each.result ?? /./);
  });

  test("every-block: each kind becomes a typed block", async () => {
    const { echo } = await play(misbehaving("every-block"));
    expect(echo?.output.map(({ type }) => type)).toEqual([
      "text",
      "image",
      "audio",
      "resource",
      // The blob, as the path of a file.
      "text",
      "resource_link",
      "structured",
    ]);
  });

  test.for(
    cases(
      { mode: "null-result", result: /no object/ },
      { mode: "protocol-error", result: /the database is down/ },
      { mode: "error-with-structured-content", result: /the real reason/ },
      { mode: "hang-in-call", definition: { timeoutMs: 800 }, result: /no answer in time/ },
      { mode: "answer-after-cancel", definition: { timeoutMs: 800 }, result: /no answer in time/ },
      { mode: "stops-reading", definition: { timeoutMs: 800 }, result: /no answer in time/ },
    ),
  )("$mode: the call fails with the reason, the server stays", async (each) => {
    const { status, echo } = await play(definitionOf(each));
    expect(status).toMatchObject({ state: "connected" });
    expect(echo).toMatchObject({ status: "failed" });
    expect(echo?.text).toMatch(each.result ?? /./);
  });

  test("secrets-in-result: secrets of results and errors reach neither model nor log", async () => {
    const secret = "s3cret-of-the-definition";
    for (const text of ["complete", "fail", "refuse"]) {
      const { echo, it } = await play(
        misbehaving("secrets-in-result", {}, { env: { SERVER_SECRET: secret } }),
        { input: { text } },
      );
      expect(echo?.status).toBe(text === "complete" ? "completed" : "failed");
      expect(echo?.text).toMatch(/env /);
      const everything = JSON.stringify([it.session.events, it.model.calls]);
      expect(everything).not.toContain(secret);
      expect(everything).not.toContain("abcdefghijklmnop0123456789");
      expect(everything).not.toContain("sk-k3yV4lue");
    }
  });

  test("stops-reading: a call that is too large to be taken waits for nobody", async () => {
    const { echo } = await play(misbehaving("stops-reading", {}, { timeoutMs: 1_000 }), {
      input: { text: "x".repeat(1_000_000) },
    });
    expect(echo).toMatchObject({ status: "failed" });
  });

  test("server-requests: answered or refused, nothing is given away", async () => {
    const { echo, it } = await play(misbehaving("server-requests"));
    expect(echo).toMatchObject({ status: "completed" });
    expect(JSON.parse(echo?.text ?? "")).toMatchObject({
      ping: { result: {} },
      "roots/list": { result: { roots: [{ uri: `file://${it.cwd}` }] } },
      "sampling/createMessage": { error: -32601 },
      "elicitation/create": { error: -32601 },
      "nobody/knows": { error: -32601 },
    });
  });
});

test("progress-for-ever: goes on beyond the time limit until the turn is cancelled, and the server is told", async () => {
  await using folder = await tempFolder();
  const log = folder.join("server.log");
  await using it = await openMcpSession({
    servers: { bad: misbehaving("progress-for-ever", { log }, { timeoutMs: 500 }) },
    steps: [calling(["echo"])],
  });
  const controller = new AbortController();
  let isOver = false;
  const turn = it.prompt("Go.", controller.signal).finally(() => (isOver = true));
  const noted = (): Promise<string> => readFile(log, "utf8").catch(() => "");
  await vi.waitFor(async () => expect(await noted()).toContain('"tools/call"'));
  await new Promise((resolve) => setTimeout(resolve, 2_000));
  expect(isOver).toBe(false);
  const started = performance.now();
  controller.abort();
  expect(await turn).toMatchObject({ stopReason: "cancelled" });
  expect(performance.now() - started).toBeLessThan(3_000);
  await vi.waitFor(async () => expect(await noted()).toContain('"event":"cancelled"'));
  expect(it.statusOf("bad")).toMatchObject({ state: "connected" });
});

describe.concurrent("a server that ends in a call", () => {
  test("crash-in-call: the call fails at once, and the server is started again", async () => {
    await play(misbehaving("crash-in-call"), {
      look: async ({ echo, it }) => {
        expect(echo).toMatchObject({ status: "failed" });
        expect(echo?.text).toMatch(/It may have run all the same[^]*\b11\b[^]*segmentation fault/);
        expect((await it.untilState("bad", "connected")).tool_count).toBe(2);
        expect(statesOf(it.session.events)).toEqual([
          "connecting",
          "connected",
          "error",
          "connecting",
          "connected",
        ]);
      },
    });
  });

  test("closes-stdout: the call fails at once, the process is ended, and a retry brings the server back", async () => {
    await play(misbehaving("closes-stdout"), {
      look: async ({ echo, it }) => {
        expect(echo).toMatchObject({ status: "failed" });
        expect(echo?.text).toMatch(/It may have run all the same/);
        expect(statesOf(it.session.events)).toContain("error");
        await it.session.mcp?.retry("bad");
        expect(it.statusOf("bad")).toMatchObject({ state: "connected", tool_count: 2 });
        // The healthy one and the new one.
        await vi.waitFor(async () => expect(await it.processes()).toHaveLength(2), 5_000);
      },
    });
  });

  test("crash-when-asked with a grandchild: the old process tree is gone before the new one works", async () => {
    await play(misbehaving(["grandchild-that-ignores-sigterm", "crash-when-asked"]), {
      input: { text: "crash" },
      look: async ({ it }) => {
        await it.untilState("bad", "connected");
        // Healthy server, bad server, its grandchild.
        await vi.waitFor(async () => expect(await it.processes()).toHaveLength(3), 5_000);
      },
    });
  });
});

describe.concurrent("a list of tools that changes", () => {
  test.for(
    cases(
      { mode: "list-changed-adds", result: /^added_2$/ },
      { mode: "list-changed-undeclared", result: /^added_2$/ },
      { mode: "list-changed-renames", result: /^renamed$/ },
    ),
  )("$mode: the new tool is there in the same turn, the process stays", async (each) => {
    await play(definitionOf(each), {
      look: async ({ it, echo }) => {
        expect(echo).toMatchObject({ status: "completed", text: "the list has changed" });
        const before = it.processes();
        const names = (): string[] => it.session.tools().map(({ exposedName }) => exposedName);
        await vi.waitFor(() =>
          expect(names()).toContainEqual(expect.stringMatching(each.result ?? /./)),
        );
        expect(await it.processes()).toEqual(await before);
        expect(it.statusOf("bad")).toMatchObject({ state: "connected" });
        expect(names().includes("echo")).toBe(each.mode !== "list-changed-renames");
      },
    });
  });

  test("list-changed-describes: the tool is another one for whoever allowed the first", async () => {
    await play(misbehaving("list-changed-describes"), {
      look: async ({ it }) => {
        const described = (): string =>
          it.session.tools().find(({ exposedName }) => exposedName === "echo")?.tool.description ??
          "";
        await vi.waitFor(() => expect(described()).toContain("sends mails"));
      },
    });
  });

  test("list-changed-takes-reserved-name: nobody takes the place of bash", async () => {
    await play(misbehaving("list-changed-takes-reserved-name"), {
      look: async ({ it }) => {
        await vi.waitFor(() =>
          expect(it.statusOf("bad")?.conflicts).toMatchObject([
            { tool: "bash", owner: "built-in" },
          ]),
        );
        const bash = it.session.tools().filter(({ exposedName }) => exposedName === "bash");
        expect(bash.map(({ tool }) => tool.origin.type)).toEqual(["builtin"]);
      },
    });
  });

  test("list-changed-to-error: what was there stays there", async () => {
    await play(misbehaving("list-changed-to-error"), {
      look: ({ it, echo }) => {
        expect(echo).toMatchObject({ status: "completed" });
        expect(it.statusOf("bad")).toMatchObject({ state: "connected", tool_count: 2 });
      },
    });
  });
});

describe.concurrent("names and numbers", () => {
  test("hostile-names: every tool is exposed under a name that each provider takes, nothing can be shown wrong", async () => {
    const { it } = await play(misbehaving("hostile-names"), {
      look: ({ it: open }) => {
        const names = open.session.tools().map(({ exposedName }) => exposedName);
        expect(new Set(names.map((name) => name.toLowerCase())).size).toBe(names.length);
        for (const name of names) expect(name).toMatch(/^[A-Za-z_][A-Za-z0-9_-]{0,62}$/);
      },
    });
    expect(JSON.stringify(it.statusOf("bad") ?? {})).not.toMatch(/\\u001b|\u202e/i);
  });

  test("reserved-names and duplicate-names: the clashing ones are named, the others work", async () => {
    const reserved = await play(misbehaving("reserved-names"));
    expect(reserved.status.conflicts.map(({ tool, owner }) => [tool, owner])).toEqual([
      ["bash", "built-in"],
      ["Read_File", "built-in"],
    ]);
    expect(reserved.echo).toMatchObject({ status: "completed" });
    const duplicate = await play(misbehaving("duplicate-names"));
    expect(duplicate.status.conflicts).toMatchObject([{ tool: "echo", owner: "bad" }]);
  });

  test("51-tools-in-pages-of-50 and many-tools: all of them are there, up to the limit of all services", async () => {
    const paged = await play(misbehaving("51-tools-in-pages-of-50"));
    expect(paged.status).toMatchObject({ state: "connected", tool_count: 51 });
    const many = await play(misbehaving("many-tools", { count: 200 }), {
      look: ({ it }) => expect(it.session.tools().length).toBe(128),
    });
    expect(many.status).toMatchObject({ state: "connected" });
  });
});

test("a grandchild in a group of its own is gone too", async () => {
  await play(misbehaving("grandchild-in-its-own-group"));
});

/** Of the bad server, in order. */
function statesOf(events: readonly SessionEvent[]): string[] {
  return events.flatMap((event) =>
    event.type === "MCP_STATUS" && event.payload.server === "bad" ? [event.payload.state] : [],
  );
}
