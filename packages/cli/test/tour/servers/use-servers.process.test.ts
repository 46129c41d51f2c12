import { mkdir } from "node:fs/promises";
import { sourceCommand, tempFolder } from "@acumen/testkit";
import { expect, test } from "vitest";
import { silentProgress } from "../../../src/terminal/progress.ts";
import { createTerminal } from "../../../src/terminal/terminal.ts";
import { serversFailures } from "../../../src/tour/servers/servers-result.ts";
import { useServers } from "../../../src/tour/servers/servers-stage.ts";

const BIN = new URL("../../../src/bin.ts", import.meta.url);
const ACE_MCP = new URL("../../../../ace/src/integrations/mcp/bin.ts", import.meta.url);

test("a server is added, used next to built-in tools, paused and resumed, and every state is printed", async () => {
  await using folder = await tempFolder();
  await mkdir(folder.path, { recursive: true });
  let shown = "";
  const result = await useServers({
    dataset: { learn: [], heldOut: [], queues: [] },
    command: sourceCommand(ACE_MCP),
    acumenCommand: sourceCommand(BIN, []),
    variables: { PATH: process.env["PATH"] },
    terminal: createTerminal({ write: (part) => (shown += part) }, { color: false }),
    startProgress: silentProgress,
    root: folder.path,
  });
  expect(serversFailures(result)).toEqual([]);
  for (const line of [
    "Probed: skills connected, 6 tools.",
    "Paused: skills paused, 0 tools.",
    "Resumed: skills connected, 6 tools.",
    "mcp__skills__ace_ask: skills: ace.ask",
  ]) {
    expect(shown).toContain(line);
  }
});
