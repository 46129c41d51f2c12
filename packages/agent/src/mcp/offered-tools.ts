import type { Redactor } from "../redaction/redactor.ts";
import type { Tool } from "../tools/tool.ts";
import type { ResolvedMcpServer } from "./config/resolved-config.ts";
import type { CallAnswer, CallOptions, ListedTool } from "./connection/mcp-connection.ts";
import type { QuarantinedTool } from "./mcp-status.ts";
import { convertSchema } from "./tools/convert-schema.ts";
import { createMcpTool, toolIdentity } from "./tools/create-mcp-tool.ts";
import { type McpToolFacts, readListedTool } from "./tools/read-listed-tool.ts";

interface OfferedTool {
  readonly tool: Tool;
  /** SHA-256: a changed tool is another tool. */
  readonly identity: string;
}

/** What of a server's list can be given to a model. */
export interface OfferedTools {
  /** Raw names in the order of the list, also those that are there twice. */
  readonly names: readonly string[];
  readonly quarantined: readonly QuarantinedTool[];
  get(raw: string): OfferedTool | undefined;
}

export interface OfferedToolsOptions {
  /** The list before: what has not changed is not converted again. */
  readonly before?: OfferedTools;
  /** Monotonic, ms. Default: of this process. */
  readonly now?: () => number;
  readonly call: (
    tool: { readonly name: string; readonly identity: string },
    args: Readonly<Record<string, unknown>>,
    options: Pick<CallOptions, "signal" | "onProgress">,
  ) => Promise<CallAnswer>;
  readonly outputFolder: () => Promise<string>;
  readonly redact: Redactor;
}

/**
 * What the schemas of one list may take in all: meanwhile nothing else happens in this process. The worst schema takes about 50 ms,
 * an ordinary one a tenth of one.
 */
const MAX_CONVERSION_MS = 2_000;

/** Leaves out what the definition does not want, then what cannot be used, each tool by itself. */
export function readOfferedTools(
  server: ResolvedMcpServer,
  listed: readonly ListedTool[],
  options: OfferedToolsOptions,
): OfferedTools {
  const tools = new Map<string, OfferedTool>();
  const names: string[] = [];
  const quarantined: QuarantinedTool[] = [];
  const { now = () => performance.now() } = options;
  const until = now() + MAX_CONVERSION_MS;
  for (const entry of listed) {
    if (!isWanted(server, entry["name"])) continue;
    const read = readListedTool(entry, options.redact);
    if (!read.ok) {
      quarantined.push({ tool: read.tool, reason: read.reason });
      continue;
    }
    const { facts } = read;
    const tool = now() > until ? TOO_LATE : toolOf(server, facts, options);
    if ("reason" in tool) {
      quarantined.push({ tool: facts.name, reason: tool.reason });
      continue;
    }
    names.push(facts.name);
    // Of two tools of one name the first one counts.
    if (!tools.has(facts.name)) tools.set(facts.name, tool);
  }
  return { names, quarantined, get: (raw) => tools.get(raw) };
}

const TOO_LATE = {
  reason: `The schemas of this server are so involved that no more than ${MAX_CONVERSION_MS / 1_000} s of them are read. Choose some of its tools with "enabledTools".`,
} as const;

function isWanted({ definition }: ResolvedMcpServer, name: unknown): boolean {
  if (typeof name !== "string" || definition === undefined) return true;
  const { enabledTools, disabledTools } = definition;
  if (disabledTools?.includes(name) === true) return false;
  return enabledTools === undefined || enabledTools.includes(name);
}

function toolOf(
  { name: server, definition, fingerprint }: ResolvedMcpServer,
  facts: McpToolFacts,
  { call, outputFolder, redact, before }: OfferedToolsOptions,
): OfferedTool | { readonly reason: string } {
  const identity = toolIdentity(fingerprint, facts);
  const known = before?.get(facts.name);
  if (known?.identity === identity) return known;
  const converted = convertSchema(facts.inputSchema, redact);
  if (!converted.ok) return { reason: converted.reason };
  const tool = createMcpTool({
    server,
    facts,
    converted,
    trustReadOnlyHint: definition?.trustReadOnlyHint === true,
    definitionFingerprint: fingerprint,
    call: (args, callOptions) => call({ name: facts.name, identity }, args, callOptions),
    outputFolder,
    redact,
  });
  return { tool, identity };
}
