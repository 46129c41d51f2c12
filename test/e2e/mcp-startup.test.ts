import { expect, test } from "vitest";
import { calling, misbehaving, openMcpSession } from "./support/mcp-session.ts";

/** What a chat's first prompt waits at most, ms. */
const WAIT_MS = 2_000;
/** A busy machine starts eleven processes slowly, and none of that is waiting for servers. */
const SLACK_MS = 4_000;

test("ten servers, one of them dead: the first prompt waits two seconds at most, late tools join the turn", async () => {
  const quick = Object.fromEntries(
    Array.from({ length: 9 }, (_item, index) => [
      `quick-${index}`,
      misbehaving("well", { prefix: `q${index}_` }),
    ]),
  );
  const servers = {
    dead: misbehaving("never-initializes", {}, { startupTimeoutMs: 60_000 }),
    ...quick,
  };
  await using it = await openMcpSession({
    servers,
    steps: [
      { text: "Here I am." },
      calling(["q0_echo", { text: "a" }], ["q8_echo", { text: "b" }]),
      { text: "Done." },
    ],
    wait: WAIT_MS,
  });
  const started = performance.now();
  await it.prompt();
  expect(performance.now() - started).toBeLessThan(WAIT_MS + SLACK_MS);
  expect(it.statusOf("dead")).toMatchObject({ state: "connecting", tool_count: 0 });
  for (const name of Object.keys(quick)) await it.untilState(name, "connected");
  await it.prompt();
  expect(it.outcomes().map(({ text }) => text)).toEqual(["a", "b"]);
  expect(await it.close()).toBeLessThan(4_000);
});

test("a server that comes later, is paused or resumed touches no other one and no process of the session", async () => {
  await using it = await openMcpSession({
    servers: {
      first: misbehaving("well", { prefix: "first_" }),
      changing: misbehaving("list-changed-adds"),
    },
    steps: [
      calling(["bash", { action: "start", command: "sleep 300" }], ["first_environment"]),
      calling(["echo", { text: "change the list" }]),
      calling(["bash", { action: "list" }], ["first_environment"]),
      { text: "Done." },
    ],
  });
  await it.prompt("Start something, and let the list change.");
  const before = await it.processes();
  // Two servers, and the command in the background.
  expect(before.length).toBeGreaterThanOrEqual(3);
  await expect
    .poll(() => it.session.tools().map(({ exposedName }) => exposedName))
    .toContain("added_2");
  expect(await it.processes()).toEqual(before);
  await it.session.mcp?.pause("changing");
  expect(it.statusOf("changing")).toMatchObject({ state: "paused", tool_count: 0 });
  const without = await it.processes();
  expect(before).toEqual(expect.arrayContaining(without));
  expect(without).toHaveLength(before.length - 1);
  await it.session.mcp?.resume("changing");
  expect(it.statusOf("changing")).toMatchObject({ state: "connected" });
  expect(await it.processes()).toEqual(expect.arrayContaining(without));
  expect(it.statusOf("first")).toMatchObject({ state: "connected", tool_count: 2 });
});
