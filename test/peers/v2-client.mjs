import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { runScenario } from "./stdio-scenario.mjs";

const { server, mode, ...scenario } = JSON.parse(process.argv[2]);
const client = new Client(
  { name: "peer-v2", version: "1.0.0" },
  { versionNegotiation: { mode: mode === "modern" ? { pin: "2026-07-28" } : mode } },
);
const transport = new StdioClientTransport({ ...server, stderr: "pipe" });
await runScenario(client, transport, { ...scenario, callToolArgs: [] }, () => ({
  era: client.getProtocolEra(),
  server: client.getServerVersion(),
  capabilities: client.getServerCapabilities(),
}));
