import { mkdir, readFile, writeFile } from "node:fs/promises";
import { sourceCommand, startProcess, tempFolder } from "@acumen/testkit";
import { expect, test } from "vitest";

const BIN = new URL("../../src/bin.ts", import.meta.url);
const HOOK = new URL("../support/loaded-files.mjs", import.meta.url);
/** Loaded behind the first answer alone; it brings the protocol's library and the sessions. */
const HELD = String.raw`/handlers/host-app\.[jt]s`;
/** What takes long to load, and what the greeting has no use for. */
const LATE = [
  "/node_modules/zod/",
  "/node_modules/@agentclientprotocol/",
  "/node_modules/@modelcontextprotocol/",
  "/node_modules/@ai-sdk/",
  "/node_modules/commander/",
  "/packages/ace/",
  "/packages/agent/(?!(?:src|dist)/json/)",
  "/packages/acp/(?:src|dist)/(?:sessions|mapping|commands|permission)/",
].map((part) => new RegExp(part));
/** Files cost about a millisecond each. */
const MOST_FILES = 75;

/** The files of ours and of libraries that a host's first answer waits for. */
async function loadedBeforeGreeting(settings?: object): Promise<readonly string[]> {
  await using folder = await tempFolder();
  await mkdir(folder.path, { recursive: true });
  if (settings !== undefined) {
    await writeFile(folder.join("config.json"), JSON.stringify(settings));
  }
  const list = folder.join("loaded.txt");
  const { command, args } = sourceCommand(BIN, ["acp", "--model", "ollama/any"]);
  await using host = startProcess(
    { command, args: ["--import", HOOK.href, ...args] },
    {
      cwd: folder.path,
      env: { ACUMEN_HOME: folder.path, ACUMEN_TEST_LOADED: list, ACUMEN_TEST_HELD: HELD },
    },
  );
  const request = { jsonrpc: "2.0", id: 1, method: "initialize", params: { protocolVersion: 1 } };
  host.child.stdin.write(`${JSON.stringify(request)}\n`);
  await host.waitFor("stdout", '"agentCapabilities"', 60_000);
  const urls = (await readFile(list, "utf8")).split("\n");
  return urls.filter((url) => url.startsWith("file:") && !url.includes("/node_modules/tsx/"));
}

test("a host is greeted before the protocol's library, schemas, sessions and the agent are loaded", async () => {
  const files = await loadedBeforeGreeting();
  expect(files.filter((file) => LATE.some((late) => late.test(file)))).toEqual([]);
  expect(files.some((file) => file.includes("/handlers/greeting."))).toBe(true);
  expect(files.length, files.join("\n")).toBeLessThanOrEqual(MOST_FILES);
});

test("the settings that `acumen setup` writes bring no schema", async () => {
  const files = await loadedBeforeGreeting({ model: "ollama/any", mode: "safe" });
  expect(files.filter((file) => LATE.some((late) => late.test(file)))).toEqual([]);
});
