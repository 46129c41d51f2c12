import { startMisbehavingHttpServer } from "@acumen/testkit";
import { describe, expect, it } from "vitest";
import { call, closedOf, connections, remote, stdio, textOf } from "./support/connect.ts";

const never = new AbortController().signal;

/**
 * Faults that other clients had, by their numbers in the list of reports that this client is held to. What stands elsewhere: 26, 29
 * to 31, 34, 35, 38, 47, 49 and 50 in tools/client-reports.test.ts; 35 and 37 for each wire in ../wires; 41 in
 * transports/stdio-close.process.test.ts; 43 in mcp-runtime-manager.process.test.ts ("is started again, keeps its names"); 54 in
 * secrets.process.test.ts and session/session-files.test.ts.
 */
describe("reports against other clients", () => {
  it("32: only the first page of tools was read", async () => {
    await using all = connections();
    const connection = await all.connect(stdio("51-tools-in-pages-of-50"));
    const listed = await connection.listTools(never);
    expect(listed.ok && listed.tools.length).toBe(51);
  });

  it.each([
    "no-input-schema",
    "null-input-schema",
    "array-input-schema",
    "array-output-schema",
  ] as const)("34: one bad schema took all tools away: %s", async (mode) => {
    await using all = connections();
    const connection = await all.connect(stdio(mode));
    const listed = await connection.listTools(never);
    expect(listed.ok && listed.tools.map(({ name }) => name)).toEqual(
      expect.arrayContaining(["echo", "environment"]),
    );
    // The bad one is there too: whoever reads the list says what is wrong with it.
    expect(listed.ok && listed.tools.length).toBe(3);
  });

  it.each(["list-changed-adds", "list-changed-undeclared"] as const)(
    "39: news of changed tools were ignored: %s",
    async (mode) => {
      await using all = connections();
      const connection = await all.connect(stdio(mode));
      expect(await connection.listTools(never)).toMatchObject({ tools: { length: 2 } });
      const changed = new Promise<void>((resolve) => connection.onToolsChanged(resolve));
      await call(connection, "echo");
      await changed;
      expect(await connection.listTools(never)).toMatchObject({ tools: { length: 3 } });
    },
  );

  it("39: a burst of such news led to one listing each", async () => {
    await using all = connections();
    const connection = await all.connect(stdio("list-changed-flood"));
    let changes = 0;
    connection.onToolsChanged(() => (changes += 1));
    const begun = performance.now();
    await call(connection, "echo");
    await expect.poll(() => changes).toBeGreaterThan(0);
    // A flood that takes long is told every two seconds.
    expect(changes).toBeLessThanOrEqual(2 + (performance.now() - begun) / 2_000);
  });

  it("40: progress did not extend the time of a call when nobody listened to it", async () => {
    await using all = connections();
    const connection = await all.connect(stdio("slow-with-progress", {}, { delayMs: 3_000 }));
    const answer = await call(connection, "echo", {}, { timeoutMs: 1_500 });
    expect(textOf(answer)).toMatch(/^done after/);
  });

  it("42: calls to a dead server hung until their time was over", async () => {
    await using all = connections();
    const connection = await all.connect(stdio("crash-in-call"));
    const begun = performance.now();
    expect(await call(connection, "echo")).toMatchObject({ kind: "closed", mayHaveRun: true });
    expect(await call(connection, "echo")).toMatchObject({ kind: "not_sent", mayHaveRun: false });
    expect(performance.now() - begun).toBeLessThan(10_000);
  });

  it("45: a server that never greets held everything up", async () => {
    await using all = connections();
    const failure = await all.fail(stdio("never-initializes", { startupTimeoutMs: 500 }));
    expect(failure.kind).toBe("timeout");
  });

  it("49: text or structured content was dropped when there were both", async () => {
    await using all = connections();
    const connection = await all.connect(stdio("every-block"));
    const answer = await call(connection, "echo");
    expect(answer).toMatchObject({
      ok: true,
      result: { content: { length: 6 }, structuredContent: { answer: 42 } },
    });
  });

  it.each(["a restart", "its own choice"])(
    "51: a session that was lost after %s stayed lost",
    async (why) => {
      await using server = await startMisbehavingHttpServer(
        why === "a restart" ? "well" : "session-lost",
      );
      await using all = connections();
      const connection = await all.connect(remote(server.url));
      const closed = closedOf(connection);
      expect(textOf(await call(connection, "echo", { text: "one" }))).toBe("one");
      if (why === "a restart") server.loseSessions();
      const calls = (): number => server.methods().filter((it) => it === "tools/call").length;
      const before = calls();
      expect(await call(connection, "echo", { text: "two" })).toMatchObject({
        ok: false,
        kind: "session_lost",
        mayHaveRun: false,
        message: expect.stringMatching(/did not run/),
      });
      expect(await closed).toMatchObject({ kind: "session_lost" });
      // Nothing is sent again, now or through a connection that is over.
      expect(await call(connection, "echo", { text: "three" })).toMatchObject({ kind: "not_sent" });
      expect(calls()).toBe(before + 1);
      const anew = await all.connect(remote(server.url));
      expect(textOf(await call(anew, "echo", { text: "four" }))).toBe("four");
    },
  );
});
