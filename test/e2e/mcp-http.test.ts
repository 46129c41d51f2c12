import { type MisbehavingHttpMode, startMisbehavingHttpServer } from "@acumen/testkit";
import { describe, expect, test, vi } from "vitest";
import { play } from "./support/mcp-play.ts";
import { calling, misbehaving, openMcpSession } from "./support/mcp-session.ts";

interface Case {
  readonly mode: MisbehavingHttpMode;
  /** Its reason, or what the model was told of the call of `echo`. */
  readonly says: RegExp;
  readonly definition?: Readonly<Record<string, unknown>>;
}

const TOKEN = "Bearer t0ken-of-the-definition";
const HEADERS = { Authorization: TOKEN };

describe.concurrent("an HTTP server that cannot be used", () => {
  test.for<Case>([
    { mode: "unauthorized", says: /^needs_auth\b[^]*header/ },
    { mode: "forbidden", says: /^needs_auth\b[^]*header/ },
    { mode: "server-error", says: /500/ },
    { mode: "html", says: /./ },
    { mode: "sse-only", says: /"sse"/ },
    { mode: "hang", says: /time|1\.5 s/, definition: { startupTimeoutMs: 1_500 } },
    { mode: "redirect-to-other-origin", says: /redirect|307/ },
  ])("$mode: error, and why", async ({ mode, says, definition }) => {
    await using server = await startMisbehavingHttpServer(mode);
    const { status, it } = await play({
      type: "http",
      url: server.url,
      headers: HEADERS,
      ...definition,
    });
    expect(status).toMatchObject({ state: "error", tool_count: 0, transport: "http" });
    expect(status.reason).toMatch(says);
    expect(JSON.stringify([it.session.events, status])).not.toContain("t0ken-of-the-definition");
    // The token belongs to one origin.
    expect(server.elsewhere).toEqual([]);
    expect(server.requests.every(({ headers }) => headers.authorization === TOKEN)).toBe(true);
  });

  test("nobody listens: error, and why", async () => {
    const server = await startMisbehavingHttpServer("well");
    await server.close();
    const { status } = await play({ type: "http", url: server.url });
    expect(status).toMatchObject({ state: "error" });
    expect(status.reason).toMatch(/ECONNREFUSED|no connection|refused/i);
  });
});

describe.concurrent("an HTTP server that works in its own way", () => {
  test.for<MisbehavingHttpMode>(["well", "well-streaming", "no-session-id", "slow-with-progress"])(
    "%s: connected, its tool answers",
    async (mode) => {
      await using server = await startMisbehavingHttpServer(mode);
      const { status, echo } = await play({ type: "http", url: server.url, timeoutMs: 900 });
      expect(status).toMatchObject({ state: "connected", tool_count: 2 });
      expect(echo).toMatchObject({ status: "completed" });
      expect(echo?.text).toMatch(/^(?:hello|done after)/);
    },
  );

  test("sse-only with its own type: connected", async () => {
    await using server = await startMisbehavingHttpServer("sse-only");
    const { status, echo } = await play({ type: "sse", url: server.url, headers: HEADERS });
    expect(status).toMatchObject({ state: "connected", transport: "sse" });
    expect(echo).toMatchObject({ status: "completed", text: "hello" });
    expect(server.requests.every(({ headers }) => headers.authorization === TOKEN)).toBe(true);
    await vi.waitFor(async () => expect(await server.openSockets()).toBe(0));
  });
});

describe.concurrent("an HTTP server that fails in a call", () => {
  test.for<Case>([
    { mode: "server-error-in-call", says: /500/ },
    { mode: "html-in-call", says: /./ },
    { mode: "broken-json", says: /./ },
    { mode: "empty-answer", says: /./ },
    { mode: "stream-cut", says: /./ },
    { mode: "socket-cut", says: /./ },
    { mode: "hang-in-call", says: /no answer in time/, definition: { timeoutMs: 800 } },
    { mode: "silent-stream-in-call", says: /no answer in time/, definition: { timeoutMs: 800 } },
    { mode: "session-always-lost", says: /no longer knows the session|session/ },
  ])("$mode: the call fails with the reason", async ({ mode, says, definition }) => {
    await using server = await startMisbehavingHttpServer(mode);
    const { echo } = await play({
      type: "http",
      url: server.url,
      timeoutMs: 3_000,
      ...definition,
    });
    expect(echo).toMatchObject({ status: "failed" });
    expect(echo?.text).toMatch(says);
    const calls = server.methods().filter((method) => method === "tools/call");
    // It may have run: nobody calls it a second time.
    expect(calls).toHaveLength(1);
  });

  test("session-lost: the call says so, a new session is there for the next one", async () => {
    await using server = await startMisbehavingHttpServer("session-lost");
    await using it = await openMcpSession({
      servers: {
        web: { type: "http", url: server.url },
        healthy: misbehaving("well", { prefix: "good_" }),
      },
      steps: [
        calling(["echo", { text: "one" }]),
        calling(["echo", { text: "two" }], ["good_echo", { text: "fine" }]),
        { text: "First turn." },
        calling(["echo", { text: "three" }]),
        { text: "Second turn." },
      ],
    });
    await it.prompt();
    await it.untilState("web", "connected");
    await it.prompt();
    const echoes = it.outcomes().filter(({ exposedName }) => exposedName === "echo");
    expect(echoes.map(({ status }) => status)).toEqual(["completed", "failed", "completed"]);
    expect(echoes[1]?.text).toMatch(/session/);
    const begun = server.methods().filter((method) => method === "initialize");
    expect(begun).toHaveLength(2);
  });

  test("unauthorized-later: needs_auth, and the other servers go on", async () => {
    await using server = await startMisbehavingHttpServer("unauthorized-later");
    await using it = await openMcpSession({
      servers: {
        web: { type: "http", url: server.url, headers: HEADERS },
        healthy: misbehaving("well", { prefix: "good_" }),
      },
      steps: [
        calling(["echo", { text: "one" }]),
        calling(["echo", { text: "two" }], ["good_echo", { text: "fine" }]),
        { text: "Done." },
      ],
    });
    await it.prompt();
    const [one, two, fine] = it.outcomes();
    expect([one?.status, two?.status, fine?.status]).toEqual(["completed", "failed", "completed"]);
    const status = await it.untilState("web", "error");
    expect(status.reason).toMatch(/^needs_auth/);
  });

  test("a cancelled call reaches the server", async () => {
    await using server = await startMisbehavingHttpServer("hang-in-call");
    await using it = await openMcpSession({
      servers: { web: { type: "http", url: server.url } },
      steps: [calling(["echo", { text: "one" }])],
    });
    const controller = new AbortController();
    const turn = it.prompt("Go.", controller.signal);
    await vi.waitFor(() => expect(server.methods()).toContain("tools/call"));
    const started = performance.now();
    controller.abort();
    expect(await turn).toMatchObject({ stopReason: "cancelled" });
    expect(performance.now() - started).toBeLessThan(3_000);
    await vi.waitFor(() => expect(server.methods()).toContain("notifications/cancelled"));
  });
});
