import { chmod, writeFile } from "node:fs/promises";
import { WorkspaceTrust } from "@acumen/agent";
import { expect, test } from "vitest";
import { checkSettings, checkWorkspace } from "../../src/doctor/settings-checks.ts";
import { homeOf } from "../../src/settings/home.ts";
import { loadSettings } from "../../src/settings/load-settings.ts";
import { agentBench } from "../support/agent-bench.ts";

test("a workspace's own settings are read once it is trusted, and not after a change", async () => {
  await using bench = await agentBench({ steps: [] });
  const variables = { ACUMEN_HOME: bench.home };
  const trust = new WorkspaceTrust({ home: bench.home, environment: variables });
  const found = () => checkWorkspace(bench.workspace, { home: homeOf(variables), variables });
  expect(await found()).toBeUndefined();
  const path = await bench.write("work/.acumen/config.json", "{}");
  expect(await found()).toMatchObject({
    status: "note",
    message: `${path} is not read: this workspace is not trusted`,
    remedy: expect.stringContaining("acumen trust"),
  });
  await trust.trust(bench.workspace);
  expect(await found()).toMatchObject({ status: "ok" });
  await writeFile(path, '{"mode":"auto"}');
  expect(await found()).toMatchObject({
    status: "note",
    message: expect.stringContaining("changed since it was trusted"),
  });
  await trust.trust(bench.workspace);
  expect(await found()).toMatchObject({
    status: "wrong",
    message: expect.stringContaining('"mode" does not count in a workspace'),
  });
});

test("in the home folder the person's own settings are none of a workspace", async () => {
  await using bench = await agentBench({ steps: [] });
  await bench.write(".acumen/config.json", '{"mode":"auto"}');
  const variables = { ACUMEN_HOME: bench.folder.join(".acumen") };
  const own = await checkWorkspace(bench.folder.path, { home: homeOf(variables), variables });
  expect(own).toBeUndefined();
});

test("a permission rule that cannot be read is wrong, in a workspace and in the person's own settings", async () => {
  await using bench = await agentBench({ steps: [] });
  const variables = { ACUMEN_HOME: bench.home };
  const text = '{"permissions":{"deny":["bsh(x)"]}}';
  const wrong = {
    status: "wrong",
    message: expect.stringMatching(/AGENT_RULE_INVALID: .*bsh\(x\)/),
  };
  await bench.write("work/.acumen/config.json", text);
  await new WorkspaceTrust({ home: bench.home, environment: variables }).trust(bench.workspace);
  expect(
    await checkWorkspace(bench.workspace, { home: homeOf(variables), variables }),
  ).toMatchObject(wrong);
  const path = await bench.write("home/config.json", text);
  await chmod(path, 0o600);
  expect(await checkSettings(await loadSettings(variables, {}))).toMatchObject({
    ...wrong,
    remedy: `Mend it in ${path}.`,
  });
  await writeFile(path, '{"permissions":{"deny":["bash(x)"]}}');
  expect(await checkSettings(await loadSettings(variables, {}))).toMatchObject({ status: "ok" });
});
