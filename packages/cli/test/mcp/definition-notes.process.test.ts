import { expect, test } from "vitest";
import { agentBench } from "../support/agent-bench.ts";
import { lastRecord } from "../support/run-main.ts";
import { wordServer } from "../support/word-server.ts";

test("what a definition says in vain is noted by list, test and doctor, and hinders nothing", async () => {
  await using bench = await agentBench({ steps: [] });
  const [command, ...args] = wordServer("alpha");
  const words = { command, args, onConflikt: "qualify", disabled: true };
  await bench.write("home/mcp.json", JSON.stringify({ mcpServers: { words } }));
  const at = ["--workspace", bench.workspace];
  const slip = "`onConflikt` means nothing. Is it meant to be `onConflict`?";
  const tested = await bench.acumen(["mcp", "test", "words", ...at]);
  expect(tested.code).toBe(0);
  expect(tested.stdout).toContain(`note: words: ${slip}`);
  const listed = await bench.acumen(["mcp", "list", ...at]);
  expect(listed.stdout).toContain("note: words: `disabled` means nothing here");
  const json = lastRecord(await bench.acumen(["mcp", "list", "--json", ...at]));
  expect(json["notes"]).toContainEqual({ server: "words", text: slip });
  const doctor = await bench.acumen(["doctor"]);
  expect(`${doctor.stdout}${doctor.stderr}`.replaceAll(/\s+/g, " ")).toContain(`words: ${slip}`);
});

test("test takes another time for the start, for that once", async () => {
  await using bench = await agentBench({ steps: [] });
  const [command, ...args] = wordServer("--slow", "1500", "alpha");
  const slow = { command, args, startupTimeoutMs: 300 };
  await bench.write("home/mcp.json", JSON.stringify({ mcpServers: { slow } }));
  const failed = await bench.acumen(["mcp", "test", "slow"]);
  expect(failed.code).toBe(1);
  expect(failed.stdout).toMatch(/within 300 ms\.[^]*`--startup-timeout`/);
  const longer = await bench.acumen(["mcp", "test", "slow", "--startup-timeout", "60000"]);
  expect(longer.code).toBe(0);
  expect(longer.stdout).toContain("tools: alpha");
});

test("a damaged workspace.json is a marked line with its remedy", async () => {
  await using bench = await agentBench({ steps: [] });
  await bench.write("work/.acumen/workspace.json", "{ damaged");
  const { stdout } = await bench.acumen(["mcp", "list", "--workspace", bench.workspace]);
  expect(stdout).toMatch(/^wrong: [^]*workspace\.json:1:[^]*Mend\s+it\s+there/m);
});
