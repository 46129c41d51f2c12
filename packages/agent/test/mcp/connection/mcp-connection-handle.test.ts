import { abortError, silentLogger } from "@acumen/core";
import { FakeClock } from "@acumen/testkit";
import { describe, expect, test } from "vitest";
import type { ResolvedMcpServer } from "../../../src/mcp/config/resolved-config.ts";
import { McpConnectionHandle } from "../../../src/mcp/connection/mcp-connection-handle.ts";
import type {
  CallAnswer,
  ConnectionFailure,
  McpConnection,
  Opened,
} from "../../../src/mcp/connection/mcp-connection.ts";
import type { McpStatusChange } from "../../../src/mcp/mcp-status.ts";
import type { OfferedTools } from "../../../src/mcp/offered-tools.ts";
import { FakeConnection } from "../fakes/fake-connection.ts";
import { resolvedServer, stdioDefinition } from "../live/changing-source.ts";
import { eventually } from "../live/live-servers.ts";

type Answer = Opened<McpConnection> | Promise<Opened<McpConnection>>;

const NEVER = new AbortController().signal;
const RESTARTS = { delaysMs: [5, 5, 5], windowMs: 300_000, healthyMs: 60_000 };

function failure(kind: ConnectionFailure["kind"], message = `It failed: ${kind}.`): Answer {
  return { ok: false, failure: { kind, message } };
}

/** A handle whose servers answer as the test says, one answer per start; the last one again and again. */
function handleOf({
  answers = [],
  server = resolvedServer("s", stdioDefinition("run", [])),
  onOffer = () => undefined,
}: {
  answers?: readonly (Answer | ((signal: AbortSignal) => Answer))[];
  server?: ResolvedMcpServer;
  onOffer?: (handle: McpConnectionHandle) => void;
} = {}) {
  const changes: McpStatusChange[] = [];
  const clock = new FakeClock();
  const started: AbortSignal[] = [];
  const connections: FakeConnection[] = [];
  const handle: McpConnectionHandle = new McpConnectionHandle(server, {
    open: (_server, signal) => {
      const answer = answers[Math.min(started.length, answers.length - 1)];
      started.push(signal);
      if (typeof answer === "function") return Promise.resolve(answer(signal));
      if (answer !== undefined) return Promise.resolve(answer);
      const connection = new FakeConnection(["one", "two", "hang"]);
      connections.push(connection);
      return Promise.resolve({ ok: true, connection });
    },
    read: (_now, listed): OfferedTools => {
      const names = listed.map(({ name }) => String(name));
      return {
        names,
        quarantined: [],
        get: (raw) =>
          names.includes(raw) ? { identity: `id-${raw}`, tool: undefined as never } : undefined,
      };
    },
    onOffer: () => onOffer(handle),
    onChange: (change) => changes.push(change),
    safe: (text) => text.replaceAll("secret", "[hidden]"),
    clock,
    logger: silentLogger,
    restarts: RESTARTS,
  });
  const states = (): (string | null)[] => changes.map(({ state }) => state);
  const call = (name: string, signal = NEVER): Promise<CallAnswer> =>
    handle.call({ name, identity: `id-${name}` }, { a: 1 }, { signal });
  return { handle, changes, states, started, connections, clock, call, server };
}

async function connected(options: Parameters<typeof handleOf>[0] = {}) {
  const made = handleOf(options);
  made.handle.follow(made.server, false);
  await made.handle.settled();
  expect(made.handle.state).toBe("connected");
  return made;
}

describe("from rest", () => {
  test("an untrusted folder goes before missing, missing before disabled, disabled before paused, paused before a bad definition", () => {
    const { handle, changes, started } = handleOf();
    const bad = resolvedServer("s", undefined, { fault: "No command." });
    handle.follow({ ...bad, missing: true, disabledReason: "Not trusted." }, true);
    expect([handle.state, handle.reason]).toEqual(["disabled", "Not trusted."]);
    handle.follow({ ...bad, missing: true, enabled: false }, true);
    expect(handle.state).toBe("missing");
    expect(handle.reason).toContain("acumen mcp add");
    handle.follow({ ...bad, enabled: false }, true);
    expect([handle.state, handle.reason]).toEqual(["disabled", undefined]);
    handle.follow({ ...bad, disabledReason: "Not trusted." }, true);
    expect([handle.state, handle.reason]).toEqual(["disabled", "Not trusted."]);
    handle.follow(bad, true);
    expect([handle.state, handle.reason]).toEqual(["paused", undefined]);
    handle.follow(bad, false);
    expect([handle.state, handle.reason]).toEqual(["error", "No command."]);
    handle.follow(bad, false);
    expect(changes.map(({ previous }) => previous)).toEqual([
      null,
      "disabled",
      "missing",
      "disabled",
      "disabled",
      "paused",
    ]);
    expect(started).toEqual([]);
  });

  test("connects, and says since when", async () => {
    const { handle, changes, clock, server } = handleOf();
    handle.follow(server, false);
    expect(handle.state).toBe("connecting");
    expect(handle.protocolVersion).toBeNull();
    clock.advance(1_000);
    await handle.settled();
    expect(handle.state).toBe("connected");
    expect(handle.since).toBe("2026-01-01T00:00:01.000Z");
    expect(handle.protocolVersion).toBe("2025-06-18");
    expect(handle.offered?.names).toEqual(["one", "two", "hang"]);
    expect(changes).toEqual([
      { server: "s", state: "connecting", previous: null, reason: null },
      { server: "s", state: "connected", previous: "connecting", reason: null },
    ]);
  });
});

describe("a start that fails", () => {
  test.each(["exited", "not_started", "timeout", "protocol", "unreachable", "needs_auth"] as const)(
    "%s is an error, and nothing is tried again",
    async (kind) => {
      const { handle, started, server } = handleOf({ answers: [failure(kind)] });
      handle.follow(server, false);
      await handle.settled();
      expect(handle.state).toBe("error");
      const begin = kind === "needs_auth" ? "needs_auth: " : "";
      expect(handle.reason).toBe(`${begin}It failed: ${kind}.`);
      await new Promise((resolve) => setTimeout(resolve, 30));
      handle.follow(server, false);
      expect(started).toHaveLength(1);
      expect(handle.offered).toBeUndefined();
    },
  );

  test("a list that fails is an error, and the connection is closed", async () => {
    const connection = new FakeConnection();
    connection.listAnswer = () => Promise.resolve({ ok: false, message: "No secret list." });
    const { handle, server } = handleOf({ answers: [{ ok: true, connection }] });
    handle.follow(server, false);
    await handle.settled();
    expect(handle.state).toBe("error");
    expect(handle.reason).toBe("It connected, and gave no list of tools. No [hidden] list.");
    expect(connection.closed).toBe(1);
  });

  test("a server that ends while it lists its tools is not started again", async () => {
    const connection = new FakeConnection();
    connection.listAnswer = () => {
      connection.die();
      return Promise.resolve({ ok: false, message: "Gone." });
    };
    const { handle, started, server } = handleOf({ answers: [{ ok: true, connection }] });
    handle.follow(server, false);
    await eventually(() => expect(handle.state).toBe("error"));
    // Whoever shows a reason has named the server.
    expect(handle.reason).toBe("It exited with code 3.");
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect(started).toHaveLength(1);
  });

  test("the start time-out also ends a list that never comes", async () => {
    const connection = new FakeConnection();
    connection.listAnswer = () => new Promise(() => undefined);
    const definition = stdioDefinition("npx", [], { startupTimeoutMs: 20 });
    const { handle, server } = handleOf({
      answers: [{ ok: true, connection }],
      server: resolvedServer("s", definition),
    });
    handle.follow(server, false);
    await eventually(() => expect(handle.state).toBe("error"));
    expect(handle.reason).toMatch(
      /not ready within 20 ms.*test s --startup-timeout.*startupTimeoutMs/,
    );
    expect(connection.closed).toBe(1);
  });

  test("an error of the program itself is an error of the server alone", async () => {
    const { handle, server } = handleOf({
      answers: [() => Promise.reject(new Error("a secret broke"))],
    });
    handle.follow(server, false);
    await handle.settled();
    expect([handle.state, handle.reason]).toEqual(["error", "a [hidden] broke"]);
  });
});

describe("a server that ends", () => {
  test("is started again with its tools, and no call is made again", async () => {
    const { handle, connections, states, call, changes } = await connected();
    const hanging = call("hang");
    connections[0]?.die({ message: "It exited with code 3. Its last words: secret" });
    expect(await hanging).toEqual({
      ok: false,
      kind: "closed",
      mayHaveRun: true,
      message: "It exited with code 3. Its last words: [hidden].",
    });
    expect(handle.state).toBe("error");
    expect(handle.reason).toBe(
      "Restart 1 of 3 in 0.005 s. It exited with code 3. Its last words: [hidden]",
    );
    expect(handle.offered?.names).toEqual(["one", "two", "hang"]);
    const refused = await call("one");
    expect(refused).toMatchObject({ ok: false, kind: "not_sent" });
    expect(refused).toHaveProperty("message", expect.stringContaining("exited with code 3"));
    await eventually(() => expect(handle.state).toBe("connected"));
    expect(states()).toEqual(["connecting", "connected", "error", "connecting", "connected"]);
    expect(changes.at(-1)?.reason).toBeNull();
    expect(connections[0]?.closed).toBe(1);
    expect(connections[1]?.called).toEqual([]);
    expect(await call("one")).toMatchObject({ ok: true });
  });

  test("is given up after the last restart, loses its tools, and comes back by hand", async () => {
    const dead = failure("exited", "It exited with code 1.");
    const first = new FakeConnection(["one"]);
    const answers: Answer[] = [{ ok: true, connection: first }, dead];
    const { handle, started, states } = await connected({ answers });
    first.die();
    await eventually(() => expect(handle.reason).toContain("ended too often"));
    expect(started).toHaveLength(4);
    expect(handle.offered).toBeUndefined();
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect(started).toHaveLength(4);
    const second = new FakeConnection(["one"]);
    answers[1] = { ok: true, connection: second };
    handle.retry();
    await handle.settled();
    expect(handle.state).toBe("connected");
    expect(states().filter((state) => state === "connecting")).toHaveLength(5);
    second.die();
    expect(handle.reason).toContain("Restart 1 of 3");
  });

  test.each(["exited", "too_large", "timeout", "session_lost", "protocol", "unreachable"] as const)(
    "is started again after %s, as one that has worked",
    async (kind) => {
      const { handle, connections } = await connected();
      connections[0]?.die({ kind, message: "It ended." });
      expect(handle.reason).toBe("Restart 1 of 3 in 0.005 s. It ended.");
      expect(handle.offered?.names).toEqual(["one", "two", "hang"]);
      await eventually(() => expect(handle.state).toBe("connected"));
      expect(connections).toHaveLength(2);
    },
  );

  test.each(["needs_auth", "not_started"] as const)(
    "is not tried further after %s",
    async (kind) => {
      const first = new FakeConnection(["one"]);
      const { handle, started } = await connected({
        answers: [{ ok: true, connection: first }, failure(kind)],
      });
      first.die();
      await eventually(() => expect(started).toHaveLength(2));
      await handle.settled();
      await new Promise((resolve) => setTimeout(resolve, 30));
      expect(started).toHaveLength(2);
      expect(handle.state).toBe("error");
      expect(handle.offered).toBeUndefined();
    },
  );

  test("restarts count until it was healthy for a minute", async () => {
    const { handle, connections, clock } = await connected();
    for (const attempt of [1, 2, 3]) {
      connections.at(-1)?.die();
      expect(handle.reason).toContain(`Restart ${attempt} of 3`);
      await eventually(() => expect(handle.state).toBe("connected"));
    }
    clock.advance(60_000);
    connections.at(-1)?.die();
    expect(handle.reason).toContain("Restart 1 of 3");
  });

  test("a pause cancels the restart", async () => {
    const { handle, connections, started, server } = await connected();
    connections[0]?.die();
    handle.follow(server, true);
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect(handle.state).toBe("paused");
    expect(started).toHaveLength(1);
  });
});

describe("while it runs", () => {
  test("a pause ends calls, closes, and takes the tools away; a resume connects anew", async () => {
    const { handle, connections, call, server, states } = await connected();
    const hanging = call("hang");
    handle.follow(server, true);
    expect(await hanging).toEqual({
      ok: false,
      kind: "closed",
      mayHaveRun: true,
      message: "it was paused.",
    });
    await handle.gone();
    expect(connections[0]?.closed).toBe(1);
    expect(handle.offered).toBeUndefined();
    expect(await call("one")).toEqual({
      ok: false,
      kind: "not_sent",
      mayHaveRun: false,
      message: "It is not connected (paused).",
    });
    handle.follow(server, false);
    await handle.settled();
    expect(states()).toEqual(["connecting", "connected", "paused", "connecting", "connected"]);
  });

  test("the same definition changes nothing, another one starts it anew after the old one has gone", async () => {
    const { handle, connections, server, started } = await connected();
    handle.follow({ ...server }, false);
    expect(started).toHaveLength(1);
    let closed: () => void = () => undefined;
    const [first] = connections;
    if (first !== undefined) first.closing = new Promise((resolve) => (closed = resolve));
    handle.follow(resolvedServer("s", stdioDefinition("other", [])), false);
    expect(handle.state).toBe("connecting");
    expect(handle.offered).toBeUndefined();
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(started).toHaveLength(1);
    closed();
    await handle.settled();
    expect(started).toHaveLength(2);
    expect(handle.state).toBe("connected");
  });

  test("lists its tools again when they change, once more when they change meanwhile", async () => {
    const offers: (readonly string[] | undefined)[] = [];
    const { connections, handle } = await connected({
      onOffer: (one) => offers.push(one.offered?.names),
    });
    const [connection] = connections;
    connection?.change(["two", "three"]);
    connection?.change(["three"]);
    connection?.change(["four"]);
    await eventually(() => expect(handle.offered?.names).toEqual(["four"]));
    expect(connection?.lists).toBeLessThanOrEqual(3);
    expect(offers.at(-1)).toEqual(["four"]);
  });

  test("a change that is told before the first list has come is not lost", async () => {
    const connection = new FakeConnection(["one"]);
    connection.listAnswer = () => {
      connection.listAnswer = undefined;
      const before = connection.tools;
      connection.change(["later"]);
      return Promise.resolve({ ok: true, tools: before });
    };
    const { handle } = await connected({ answers: [{ ok: true, connection }] });
    await eventually(() => expect(handle.offered?.names).toEqual(["later"]));
  });

  test("a list that fails later leaves the tools as they were, and that is said until one can be read", async () => {
    const { connections, handle, changes } = await connected();
    const [connection] = connections;
    if (connection === undefined) throw new Error("no connection");
    const message = 'The MCP server "s" keeps its secret.';
    connection.listAnswer = () => Promise.resolve({ ok: false, message });
    connection.change(["other"]);
    await eventually(() => expect(handle.reason).toBeDefined());
    const reason =
      "Its list of tools has changed and could not be read; the tools are those of before. It keeps its [hidden]. A retry reads it again.";
    expect([handle.state, handle.reason]).toEqual(["connected", reason]);
    expect(changes.at(-1)).toEqual({
      server: "s",
      state: "connected",
      previous: "connected",
      reason,
    });
    expect(handle.offered?.names).toEqual(["one", "two", "hang"]);
    connection.listAnswer = undefined;
    connection.change(["other"]);
    await eventually(() => expect(handle.offered?.names).toEqual(["other"]));
    expect(handle.reason).toBeUndefined();
    connection.listAnswer = () => Promise.resolve({ ok: false, message });
    connection.change(["another"]);
    await eventually(() => expect(handle.reason).toBe(reason));
    connection.die();
    await eventually(() => expect(handle.state).toBe("connected"));
    expect(handle.reason).toBeUndefined();
  });

  test("a changed list that never comes is said too", async () => {
    const { connections, handle } = await connected({
      server: resolvedServer("s", stdioDefinition("run", [], { startupTimeoutMs: 50 })),
    });
    const [connection] = connections;
    if (connection === undefined) throw new Error("no connection");
    connection.listAnswer = () => new Promise(() => undefined);
    connection.change(["other"]);
    await eventually(() => expect(handle.reason).toContain("There was no list within 50 ms."));
    expect(handle.offered?.names).toEqual(["one", "two", "hang"]);
  });

  test("says when a list was cut", async () => {
    const connection = new FakeConnection(["one"]);
    connection.listAnswer = () =>
      Promise.resolve({ ok: true, tools: connection.tools, incomplete: "The list was cut." });
    const { handle } = await connected({ answers: [{ ok: true, connection }] });
    expect(handle.reason).toBe("The list was cut.");
  });

  test("retry starts it anew and keeps its tools meanwhile", async () => {
    const { handle, connections } = await connected();
    handle.retry();
    expect(handle.state).toBe("connecting");
    expect(handle.offered?.names).toEqual(["one", "two", "hang"]);
    await handle.settled();
    expect(connections.map(({ closed }) => closed)).toEqual([1, 0]);
  });
});

describe("calls", () => {
  test("reach the server with the time of the definition", async () => {
    const { call, connections } = await connected({
      server: resolvedServer("s", stdioDefinition("run", [], { timeoutMs: 1_234 })),
    });
    expect(await call("one")).toMatchObject({ ok: true });
    expect(connections[0]?.called).toMatchObject([
      { name: "one", args: { a: 1 }, options: { timeoutMs: 1_234 } },
    ]);
  });

  test("keep what their connection knows of them when that ends with them", async () => {
    const connection = new FakeConnection(["one"]);
    const { call } = await connected({ answers: [{ ok: true, connection }] });
    const refused = { ok: false, kind: "refused", mayHaveRun: false, message: "401" } as const;
    connection.callTool = async () => {
      connection.die({ kind: "needs_auth", message: "HTTP 401." });
      return Promise.resolve().then(() => refused);
    };
    expect(await call("one")).toEqual(refused);
  });

  test("of tools that are gone or changed are not made", async () => {
    const { handle, connections, call } = await connected();
    connections[0]?.change(["one"]);
    await eventually(() => expect(handle.offered?.names).toEqual(["one"]));
    expect(await call("two")).toEqual({
      ok: false,
      kind: "not_sent",
      mayHaveRun: false,
      message: "The server no longer offers it.",
    });
    const changed = await handle.call({ name: "one", identity: "old" }, {}, { signal: NEVER });
    expect(changed).toMatchObject({ ok: false, kind: "not_sent" });
    expect(connections[0]?.called).toEqual([]);
  });

  test("that are aborted throw", async () => {
    const { call } = await connected();
    const aborter = new AbortController();
    const hanging = call("hang", aborter.signal);
    aborter.abort();
    await expect(hanging).rejects.toMatchObject({ code: "CORE_ABORTED" });
  });
});

describe("names", () => {
  test("a server that loses them ends, keeps its claim, and is not started again by itself", async () => {
    const { handle, connections, started, server } = handleOf({
      onOffer: (one) => one.reject("Taken."),
    });
    handle.follow(server, false);
    await eventually(() => expect(handle.state).toBe("error"));
    expect(handle.reason).toBe("Taken.");
    expect(handle.offered).toBeUndefined();
    expect(handle.claimed?.names).toEqual(["one", "two", "hang"]);
    expect(connections[0]?.closed).toBe(1);
    handle.follow(server, false);
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(started).toHaveLength(1);
  });
});

describe("closing", () => {
  test("ends everything, says nothing, and nothing begins afterwards", async () => {
    const { handle, connections, call, changes, started, server } = await connected();
    const hanging = call("hang");
    const before = changes.length;
    await handle.close();
    await handle.close();
    expect(await hanging).toMatchObject({ ok: false, kind: "closed" });
    expect(connections[0]?.closed).toBeGreaterThan(0);
    handle.follow(resolvedServer("s", stdioDefinition("other", [])), false);
    handle.follow(server, true);
    handle.retry();
    handle.reject("Taken.");
    connections[0]?.die();
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(changes).toHaveLength(before);
    expect(started).toHaveLength(1);
  });

  test("a connection that comes about too late is closed", async () => {
    const connection = new FakeConnection();
    let open: (answer: Opened<McpConnection>) => void = () => undefined;
    const { handle, server } = handleOf({
      answers: [new Promise<Opened<McpConnection>>((resolve) => (open = resolve))],
    });
    handle.follow(server, false);
    await Promise.resolve();
    const closing = handle.close();
    open({ ok: true, connection });
    await closing;
    expect(connection.closed).toBe(1);
    expect(connection.lists).toBe(0);
  });

  test("tells a start that it is not wanted any more, and waits for its end", async () => {
    let ended = false;
    const { handle, server, started } = handleOf({
      answers: [
        (signal) =>
          new Promise<Opened<McpConnection>>((_resolve, reject) => {
            signal.addEventListener("abort", () => {
              setTimeout(() => {
                ended = true;
                reject(abortError(signal));
              }, 20);
            });
          }),
      ],
    });
    handle.follow(server, false);
    await eventually(() => expect(started).toHaveLength(1));
    await handle.close();
    expect(ended).toBe(true);
  });
});
