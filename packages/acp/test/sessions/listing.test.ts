import { FakeClock } from "@acumen/testkit";
import { FileSessionStore } from "@acumen/agent";
import { mkdir, rm, symlink } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { hostBench } from "../support/host-bench.ts";

test("without sessions the list is empty", async () => {
  await using bench = await hostBench({ steps: [] });
  expect(await bench.host.request("session/list", {})).toEqual({ sessions: [] });
  expect(bench.faults).toEqual([]);
});

test("an entry has the first line of the first prompt as its title, which the first turn announces", async () => {
  await using bench = await hostBench({ steps: [{ text: "One." }, { text: "Two." }] });
  const { host, cwd, updates } = bench;
  const more = join(bench.home, "more");
  await mkdir(more);
  const { sessionId } = await host.request("session/new", {
    cwd,
    mcpServers: [],
    additionalDirectories: [more],
  });
  const listed = async (): Promise<unknown> => (await host.request("session/list", {})).sessions;
  const entry = { sessionId, cwd, additionalDirectories: [more], updatedAt: expect.any(String) };
  expect(await listed()).toEqual([entry]);
  const title = `${"long ".repeat(30)}`;
  for (const text of [`\n${title}\nsecond line`, "another prompt"]) {
    await host.request("session/prompt", { sessionId, prompt: [{ type: "text", text }] });
  }
  const announced = updates.flatMap((update) =>
    update.sessionUpdate === "session_info_update" && update.title ? [update.title] : [],
  );
  expect(announced).toEqual([expect.stringMatching(/^long long/u)]);
  expect(announced[0]?.length).toBeLessThanOrEqual(80);
  expect(await listed()).toEqual([{ ...entry, title: announced[0] }]);
  const [{ updatedAt } = { updatedAt: "" }] = (await listed()) as { updatedAt: string }[];
  expect(new Date(updatedAt).toISOString()).toBe(updatedAt);
  expect(bench.faults).toEqual([]);
});

test("pages of fifty, newest first, by folder before paging, with cursors that tell nothing", async () => {
  const clock = new FakeClock();
  await using bench = await hostBench({ steps: [], agent: { clock } });
  const { host, cwd, home } = bench;
  const other = join(home, "other");
  await mkdir(other);
  const ids: string[] = [];
  for (let count = 0; count < 105; count += 1) {
    const at = count % 2 === 0 || count > 102 ? cwd : other;
    const { sessionId } = await host.request("session/new", { cwd: at, mcpServers: [] });
    if (at === cwd) ids.unshift(sessionId);
    clock.advance(1_000);
  }
  const link = join(home, "link");
  await symlink(cwd, link);
  const first = await host.request("session/list", { cwd: link });
  expect(first.sessions.map(({ sessionId }) => sessionId)).toEqual(ids.slice(0, 50));
  expect(first.nextCursor).toBeTypeOf("string");
  const second = await host.request("session/list", { cwd, cursor: first.nextCursor ?? "" });
  expect(second.sessions.map(({ sessionId }) => sessionId)).toEqual(ids.slice(50));
  expect(second.nextCursor).toBeUndefined();
  const all = await host.request("session/list", {});
  expect(all.sessions).toHaveLength(50);
  const times = all.sessions.map(({ updatedAt }) => updatedAt ?? "");
  expect(times).toEqual(times.toSorted().reverse());
  expect(bench.faults).toEqual([]);
});

test("a bad cursor and a relative folder are refused; an unknown folder has no sessions", async () => {
  await using bench = await hostBench({ steps: [] });
  const { host, cwd } = bench;
  await host.request("session/new", { cwd, mcpServers: [] });
  for (const cursor of ["", "x", "bm90IGpzb24", Buffer.from("[1,2]").toString("base64url")]) {
    await expect(host.request("session/list", { cursor })).rejects.toMatchObject({
      code: -32602,
      data: { code: "AGENT_CURSOR_INVALID" },
    });
  }
  await expect(host.request("session/list", { cwd: "project" })).rejects.toMatchObject({
    code: -32602,
    data: { path: "cwd" },
  });
  expect(await host.request("session/list", { cwd: join(cwd, "none") })).toEqual({ sessions: [] });
});

test("sessions of a folder that is gone are found by its path", async () => {
  await using bench = await hostBench({ steps: [] });
  const gone = join(bench.home, "gone");
  await mkdir(gone);
  const { sessionId } = await bench.host.request("session/new", { cwd: gone, mcpServers: [] });
  await rm(gone, { recursive: true });
  const { sessions } = await bench.host.request("session/list", { cwd: gone });
  expect(sessions.map((one) => one.sessionId)).toEqual([sessionId]);
});

test("deleting is done when it is done: unknown ids, twice, and sessions that are open", async () => {
  await using bench = await hostBench({ steps: [] });
  const { host, cwd, agent, home } = bench;
  const { sessionId } = await host.request("session/new", { cwd, mcpServers: [] });
  for (const id of ["none", "../../etc", "", sessionId, sessionId]) {
    expect(await host.request("session/delete", { sessionId: id })).toEqual({});
  }
  expect(agent.sessions).toEqual([]);
  expect(await host.request("session/list", {})).toEqual({ sessions: [] });
  expect((await new FileSessionStore({ home }).list()).sessions).toEqual([]);
  await expect(
    host.request("session/load", { sessionId, cwd, mcpServers: [] }),
  ).rejects.toMatchObject({ code: -32002 });
  expect(bench.faults).toEqual([]);
});

test("what another host of this process has open is not deleted under it", async () => {
  await using bench = await hostBench({ steps: [{ text: "Mine." }] });
  const { host, cwd, base } = bench;
  const { sessionId } = await host.request("session/new", { cwd, mcpServers: [] });
  await using other = await hostBench({ steps: [], on: base });
  await expect(other.host.request("session/delete", { sessionId })).rejects.toMatchObject({
    code: -32603,
    data: { code: "SESSION_LOCKED" },
  });
  const prompt = [{ type: "text" as const, text: "Talk." }];
  expect(await host.request("session/prompt", { sessionId, prompt })).toEqual({
    stopReason: "end_turn",
  });
});
