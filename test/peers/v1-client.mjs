import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { runScenario } from "./stdio-scenario.mjs";

const { server, ...scenario } = JSON.parse(process.argv[2]);
const client = new Client({ name: "peer-v1", version: "1.0.0" });
const transport = new StdioClientTransport({ ...server, stderr: "pipe" });
await runScenario(
  client,
  transport,
  // The v1 client takes a result schema before the options; undefined means its own.
  { ...scenario, callToolArgs: [undefined] },
  () => ({ server: client.getServerVersion(), capabilities: client.getServerCapabilities() }),
);
