import { expect, test } from "vitest";
import { calling, openMcpSession } from "./support/mcp-session.ts";

const SECRET = "s3cr3t-of-the-definition";
/** Half of it is in front of where a text of so many characters is cut. */
const cut = (chars: number): string =>
  `${"x".repeat(chars - SECRET.length / 2)}${SECRET}${"y".repeat(9000)}`;

/** Knows its secret from its environment alone. */
const SERVER = `
const key = process.env.KEY;
const text = (chars) => "x".repeat(chars - key.length / 2) + key + "y".repeat(9000);
const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\\n");
const tool = (name) => ({ name, description: text(2048 - 34), inputSchema: { type: "object", properties: { q: { type: "string", description: text(1024), default: key } } } });
const calls = {
  fails: ({ id }) => send({ id, error: { code: -1, message: text(2000) } }),
  reports: ({ id, params }) => {
    send({ method: "notifications/progress", params: { progressToken: params._meta.progressToken, progress: 1, message: text(300) } });
    const bytes = Buffer.from("{\\"key\\": \\"" + key + "\\"}").toString("base64");
    send({ id, result: { content: [
      { type: "text", text: key.slice(0, 12) }, { type: "text", text: key.slice(12) },
      { type: "image", mimeType: "image/svg+xml", data: bytes },
      { type: "resource", resource: { uri: "a:b", blob: bytes, mimeType: "application/json" } },
    ] } });
  },
};
require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (method === "initialize") send({ id, result: { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "s", version: "1" }, instructions: text(4096) } });
  if (method === "tools/list") send({ id, result: { tools: Object.keys(calls).map(tool) } });
  if (method === "tools/call") calls[params.name]({ id, params });
});`;

test("no part of a secret reaches the log or the model, whatever a server does with it", async () => {
  await using it = await openMcpSession({
    servers: { leaky: { command: process.execPath, args: ["-e", SERVER], env: { KEY: SECRET } } },
    steps: [calling(["fails", {}], ["reports", { q: cut(60) }]), { text: "Done." }],
  });
  await it.prompt();
  expect(it.outcomeOf("fails")?.text).toContain("xxx");
  expect(it.outcomeOf("reports")?.output[1]).toEqual({ type: "text", text: "[hidden]" });
  const everything = JSON.stringify([it.session.events, it.statusOf("leaky")]);
  expect(everything).not.toMatch(/s3cr3|nition/);
  const bytes = [...everything.matchAll(/"data":"([^"]+)"/g)].map(([, data = ""]) =>
    Buffer.from(data, "base64").toString(),
  );
  expect(bytes).toContain('{"key": "[hidden]"}');
  // What the model itself wrote goes back to it as it was written.
  const requests = JSON.stringify(it.model.calls).replaceAll(cut(60), "");
  expect(requests).toContain("xxx");
  expect(requests).not.toMatch(/s3cr3|nition/);
});
