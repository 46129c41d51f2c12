import { mkdir } from "node:fs/promises";
import { tempFolder } from "@acumen/testkit";
import { expect, test } from "vitest";
import { acumen } from "../support/acumen.ts";

test("processes that add servers at the same time in a fresh place lose no enabling", async () => {
  await using folder = await tempFolder();
  const cwd = folder.join("work");
  await mkdir(cwd);
  const env = { ACUMEN_HOME: folder.join("home") };
  const at = ["--workspace", cwd, "--json"];
  const names = ["a", "b", "c"];
  const added = await Promise.all(
    names.map((name) => acumen(["mcp", "add", name, ...at, "--", "/nowhere/srv"], env)),
  );
  expect(added.map(({ code }) => code)).toEqual([0, 0, 0]);
  const { stdout } = await acumen(["mcp", "list", ...at], env);
  const { servers } = JSON.parse(stdout) as { servers: readonly object[] };
  // In error, since there is no such command: so each was to run.
  const wanted = names.map(() => expect.objectContaining({ enabled: true, state: "error" }));
  expect(servers).toEqual(wanted);
}, 60_000);
