import { readFile, stat } from "node:fs/promises";
import { tempFolder } from "@acumen/testkit";
import { expect, test } from "vitest";
import { lastRecord, runMain } from "../support/run-main.ts";

test("a token is made, listed without itself, and revoked", async () => {
  await using home = await tempFolder("acumen-token");
  const run = (...args: readonly string[]) =>
    runMain(["token", ...args], { home: home.join("home") });
  const made = lastRecord(
    await run(
      "create",
      "--scope",
      "plan:read,events:read",
      "--expires",
      "90d",
      "--owner",
      "ci",
      "--json",
    ),
  );
  expect(made).toMatchObject({
    token: expect.stringMatching(/^acm_[0-9A-Za-z]{40}$/),
    owner: "ci",
    scopes: ["plan:read", "events:read"],
    expires_at: expect.stringMatching(/Z$/),
  });
  const token = String(made["token"] as string);
  const id = String(made["token_id"] as string);
  const listed = await run("list");
  expect(listed.stdout).toContain(id);
  expect(listed.stdout).not.toContain(token);
  expect((await run("revoke", id)).code).toBe(0);
  expect((await run("list")).stdout).toContain("revoked");
  const database = home.join("home/acumen.db");
  expect((await stat(database)).mode & 0o777).toBe(0o600);
  expect((await readFile(database)).includes(token.slice(4))).toBe(false);
});

test("stdout is the token alone, so that a variable can be set to it", async () => {
  await using home = await tempFolder("acumen-token");
  const args = ["token", "create", "--scope", "plan:read"];
  const { stdout, stderr } = await runMain(args, { home: home.path });
  expect(stdout).toMatch(/^acm_[0-9A-Za-z]{40}\n$/);
  expect(stderr).toMatch(/^Token \w+ of local: plan:read\.\nIt is not shown again\.\n$/);
});

test("what is no scope, no time or no token is said, with exit code 2 or 1", async () => {
  await using home = await tempFolder("acumen-token");
  const run = (...args: readonly string[]) => runMain(["token", ...args], { home: home.path });
  const scope = await run("create", "--scope", "plan:raed");
  expect([scope.code, scope.stderr]).toEqual([2, expect.stringContaining("plan:read")]);
  const time = await run("create", "--scope", "all", "--expires", "soon");
  expect([time.code, time.stderr]).toEqual([2, expect.stringContaining("90d")]);
  expect((await run("create")).code).toBe(2);
  const unknown = await run("revoke", "nobody");
  expect([unknown.code, unknown.stderr]).toEqual([1, expect.stringContaining("FACADE_NOT_FOUND")]);
});

test("tokens are out of the agent's reach", async () => {
  await using home = await tempFolder("acumen-token");
  for (const args of [["create", "--scope", "all"], ["list"], ["revoke", "x"]]) {
    const options = { home: home.path, variables: { ACUMEN_AGENT: "1" } };
    const { code, stderr } = await runMain(["token", ...args], options);
    expect([code, stderr]).toEqual([2, expect.stringContaining("CLI_REFUSED_TO_AGENT")]);
  }
});
