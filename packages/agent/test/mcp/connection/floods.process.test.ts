import { startMisbehavingHttpServer } from "@acumen/testkit";
import { describe, expect, it } from "vitest";
import { call, connections, remote, script, stdio, textOf } from "./support/connect.ts";

describe("floods and garbage", () => {
  it("calls whose results grow beyond 64 MiB are too large", async () => {
    await using all = connections();
    const connection = await all.connect(stdio("message-over-64-mib"));
    expect(await call(connection, "echo")).toMatchObject({ ok: false, kind: "too_large" });
    await using server = await startMisbehavingHttpServer("huge-answer");
    const overHttp = await all.connect(remote(server.url));
    expect(await call(overHttp, "echo")).toMatchObject({ ok: false, kind: "too_large" });
    server.setMode("well");
    expect(textOf(await call(overHttp, "echo", { text: "still here" }))).toBe("still here");
  });

  it.each([
    "logging-flood",
    "progress-flood",
    "list-changed-flood",
    "response-to-unknown-id",
    "duplicate-response",
    "id-as-string",
    "progress-of-strange-kinds",
  ] as const)("%s does no harm", async (mode) => {
    await using all = connections();
    const connection = await all.connect(stdio(mode));
    let reports = 0;
    const begun = performance.now();
    const first = await call(
      connection,
      "echo",
      { text: "x" },
      { onProgress: () => (reports += 1) },
    );
    expect(first.ok).toBe(true);
    expect(reports).toBeLessThan(3 + (performance.now() - begun) / 50);
    expect(await call(connection, "environment")).toMatchObject({ ok: true });
  });

  it("nothing of it is an unhandled rejection", async () => {
    const unhandled: unknown[] = [];
    const count = (reason: unknown): void => void unhandled.push(reason);
    process.on("unhandledRejection", count);
    try {
      await using all = connections();
      const connection = await all.connect(script("mirror"));
      expect(textOf(await call(connection, "garbage"))).toBe("after the garbage");
      expect(textOf(await call(connection, "seen"))).toContain("-32601");
      await Promise.all([all.fail(stdio("exit-at-start")), all.fail(stdio("initialize-nonsense"))]);
      const crashing = await all.connect(stdio("crash-in-call"));
      await Promise.all([call(crashing, "echo"), call(crashing, "echo")]);
      const server = await startMisbehavingHttpServer("hang-in-call");
      const hanging = await all.connect(remote(server.url));
      const calls = [1, 2, 3].map(() => call(hanging, "echo"));
      await server.close();
      await Promise.all(calls);
      await new Promise((resolve) => setTimeout(resolve, 50));
    } finally {
      process.off("unhandledRejection", count);
    }
    expect(unhandled).toEqual([]);
  });
});
