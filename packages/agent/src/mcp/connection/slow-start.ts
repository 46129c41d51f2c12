import { basename } from "node:path";
import type { McpServerDefinition } from "../config/server-definition.ts";

interface SlowServer {
  readonly name: string;
  readonly definition: McpServerDefinition;
}

/** Programs that fetch what they run. */
const DOWNLOADERS = new Set(["npx", "uvx", "bunx", "pnpx", "pipx", "uv", "docker", "podman"]);
const FIRST_START_MS = 120_000;
const LONGER = '"startupTimeoutMs" in its definition (`--startup-timeout` of `acumen mcp add`)';

/** What to do about a server that was not ready in time. */
export function slowStartRemedy({ name, definition }: SlowServer): string {
  const program = downloader(definition);
  if (program !== undefined) {
    return `The first start with ${program} may have to download it. Give it that time once with \`acumen mcp test ${name} --startup-timeout ${FIRST_START_MS}\`, or always with ${LONGER}.`;
  }
  const question =
    definition.transport === "stdio"
      ? "Does the command start an MCP server that speaks over stdin and stdout?"
      : "Is the url the one of its MCP endpoint?";
  return `${question} A slow server needs a larger ${LONGER}.`;
}

/** Undefined for a command that finds its server installed. */
function downloader(definition: McpServerDefinition): string | undefined {
  if (definition.transport !== "stdio") return undefined;
  const file = basename(definition.command.replaceAll("\\", "/")).toLowerCase();
  const program = file.replace(/\.(?:cmd|exe)$/u, "");
  return DOWNLOADERS.has(program) ? program : undefined;
}
