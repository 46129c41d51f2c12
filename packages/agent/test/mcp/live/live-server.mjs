// An MCP server over stdio in plain Node. What it is like stands in the file that its argument names, and is read again whenever
// it matters: { tools, instructions, startMs, crashAtStart, refuseList }. It logs its starts to the file's name with `.log`.
// SIGUSR2: its list of tools has changed.
import { appendFileSync, readFileSync } from "node:fs";
import { createInterface } from "node:readline";

const file = process.argv[2];
const facts = () => JSON.parse(readFileSync(file, "utf8"));
const send = (message) =>
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
const note = (text) => appendFileSync(`${file}.log`, `${text}\n`);

note(`start ${process.pid}`);
if (facts().crashAtStart) {
  process.stderr.write("no database\n");
  process.exit(7);
}
process.on("SIGUSR2", () => send({ method: "notifications/tools/list_changed" }));
// A tool is a name, or an entry as it is listed.
const listed = (tool) =>
  typeof tool === "string" ? { name: tool, inputSchema: { type: "object", properties: {} } } : tool;

const answers = {
  initialize: ({ params }) => ({
    protocolVersion: params.protocolVersion,
    capabilities: { tools: { listChanged: true } },
    serverInfo: { name: "live", version: "1.0.0" },
    instructions: facts().instructions,
  }),
  ping: () => ({}),
  "tools/list": () => ({ tools: facts().tools.map(listed) }),
  "tools/call": ({ params }) => {
    note(`call ${params.name}`);
    if (params.name === "hang") return undefined;
    if (params.name === "die") {
      process.stderr.write("out of memory, key sk-abcdefghijklmnopqrstuvwx\n", () =>
        process.exit(3),
      );
      return undefined;
    }
    return {
      content: [{ type: "text", text: `${params.name} ${JSON.stringify(params.arguments)}` }],
    };
  },
};

createInterface({ input: process.stdin })
  .on("line", (line) => {
    const message = JSON.parse(line);
    const { id, method } = message;
    if (id === undefined || method === undefined) return;
    if (method === "tools/list" && facts().refuseList) {
      return send({ id, error: { code: -32000, message: "no list today" } });
    }
    const answer = answers[method];
    if (answer === undefined)
      return send({ id, error: { code: -32601, message: "Method not found" } });
    const delay = method === "initialize" ? (facts().startMs ?? 0) : 0;
    setTimeout(() => {
      const result = answer(message);
      if (result !== undefined) send({ id, result });
    }, delay);
  })
  .on("close", () => process.exit(0));
