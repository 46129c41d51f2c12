import { startMisbehavingHttpServer } from "@acumen/testkit";
import { describe, expect, it } from "vitest";
import { call, connections, remote, stdio, textOf } from "./support/connect.ts";

const never = new AbortController().signal;

describe("openConnection over stdio", () => {
  it("connects, lists, calls and closes", async () => {
    await using all = connections();
    const connection = await all.connect(stdio("well"));
    expect(connection.transport).toBe("stdio");
    expect(connection.protocolVersion).toBe("2025-11-25");
    const listed = await connection.listTools(never);
    expect(listed.ok && listed.tools.map(({ name }) => name)).toEqual(["echo", "environment"]);
    expect(textOf(await call(connection, "echo", { text: "hello" }))).toBe("hello");
    await connection.close();
    await connection.close();
    expect(await call(connection, "echo")).toMatchObject({ ok: false, kind: "closed" });
  });
});

describe("openConnection over HTTP", () => {
  it.each(["well", "well-streaming", "no-session-id"] as const)(
    "speaks to a server that is %s",
    async (mode) => {
      await using server = await startMisbehavingHttpServer(mode);
      await using all = connections();
      const connection = await all.connect(remote(server.url));
      const listed = await connection.listTools(never);
      expect(listed.ok && listed.tools.map(({ name }) => name)).toEqual(["echo", "headers"]);
      expect(textOf(await call(connection, "echo", { text: "hello" }))).toBe("hello");
    },
  );
});
