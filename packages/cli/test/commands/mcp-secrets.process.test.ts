import { mkdir, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tempFolder } from "@acumen/testkit";
import { expect, test } from "vitest";
import { acumen } from "../support/acumen.ts";

const SECRET = "s3cr3t-of-the-definition";
const HALVES = /s3cr3|nition/;
/** Half of it is in front of where a text of so many characters is cut. */
const cut = (chars: number): string =>
  `${"x".repeat(chars - SECRET.length / 2)}${SECRET}${"y".repeat(9000)}`;

test("no part of a secret is shown, wherever what a server writes is cut", async () => {
  await using folder = await tempFolder();
  const http = createServer((request, response) => {
    const key = String(request.headers["x-key"]);
    response.writeHead(500).end(cut(300).replace(SECRET, key));
  });
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`;
  const node = (script: string, ...words: string[]): object => ({
    command: process.execPath,
    args: ["-e", script, "--", ...words],
    env: { KEY: SECRET },
  });
  const mcpServers = {
    stderr: node(
      `const key = process.env.KEY; process.stderr.write(key + "z".repeat(9000) + key + "y".repeat(1990), () => process.exit(1))`,
    ),
    stdout: node(
      `process.stdout.write(${JSON.stringify(cut(500))}.replace(${JSON.stringify(SECRET)}, process.env.KEY) + "\\n", () => process.exit(1))`,
    ),
    greeting: {
      ...node(
        `const [, word] = process.argv.at(-1).split("="); process.stdin.on("data", (text) => console.log(JSON.stringify({ jsonrpc: "2.0", id: JSON.parse(text).id, error: { code: -1, message: "x".repeat(288) + word + "y".repeat(9000) } })))`,
        `--token=${SECRET}`,
      ),
      env: {},
    },
    http: { url, headers: { "X-Key": SECRET } },
  };
  try {
    await mkdir(folder.join(".acumen"));
    await mkdir(folder.join("home"));
    await writeFile(folder.join("home/mcp.json"), JSON.stringify({ mcpServers }));
    const enabledMcpServers = ["stderr", "stdout", "greeting"];
    await writeFile(folder.join(".acumen/workspace.json"), JSON.stringify({ enabledMcpServers }));
    const env = { ACUMEN_HOME: folder.join("home") };
    for (const words of [["enable", "http"], ["list"], ["list", "--json"]]) {
      const { stdout, stderr } = await acumen(["mcp", ...words, "--workspace", folder.path], env);
      expect(stdout).toContain("HTTP 500");
      // Long lines are broken on their way out.
      const shown = (stdout + stderr).replaceAll(/\s+/g, "");
      if (words[0] === "list")
        expect(shown.match(/x{200,}|[yz]{200,}/g)?.length).toBeGreaterThanOrEqual(4);
      expect(shown).not.toMatch(HALVES);
    }
  } finally {
    http.closeAllConnections();
    http.close();
  }
});
