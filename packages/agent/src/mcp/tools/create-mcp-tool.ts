import { createHash } from "node:crypto";
import { isJsonObject } from "@acumen/core";
import { redactedHead } from "../../redaction/redacted-head.ts";
import type { Redactor } from "../../redaction/redactor.ts";
import { visibleLine } from "../../text/visible-text.ts";
import { failed } from "../../tools/define-tool.ts";
import type {
  PreparedCall,
  RefusedCall,
  RunContext,
  Tool,
  ToolOutcome,
  ToolOrigin,
} from "../../tools/tool.ts";
import type { CallAnswer, CallOptions } from "../connection/mcp-connection.ts";
import { callFailureText } from "./call-failure.ts";
import { cleanServerName, markedServerText } from "./clean-server-text.ts";
import type { ConvertedSchema } from "./convert-schema.ts";
import { ProgressLines } from "./progress-lines.ts";
import type { McpToolFacts } from "./read-listed-tool.ts";
import { outputSchema } from "./schema/output-schema.ts";
import { toolOutcome } from "./tool-outcome.ts";

const MAX_DESCRIPTION_BYTES = 2048;
const MAX_TITLE_CHARS = 120;
/** Of all arguments and of one. */
const MAX_READ_CHARS = 4000;
const MAX_SHOWN_CHARS = 200;

export interface McpToolOptions {
  readonly server: string;
  readonly facts: McpToolFacts;
  readonly converted: ConvertedSchema;
  /** The definition says that hints of this server are believed. */
  readonly trustReadOnlyHint: boolean;
  readonly definitionFingerprint: string;
  /** Routes to the server, whatever connection it has by then. Rejects only with the abort's error. */
  readonly call: (
    args: Readonly<Record<string, unknown>>,
    options: Pick<CallOptions, "signal" | "onProgress">,
  ) => Promise<CallAnswer>;
  /** Absolute path of an existing folder for whole results. */
  readonly outputFolder: () => Promise<string>;
  readonly redact: Redactor;
}

/** A tool of a server as a function of the model. */
export function createMcpTool(options: McpToolOptions): Tool {
  const { server, facts, converted, trustReadOnlyHint } = options;
  const trustedReadOnly = trustReadOnlyHint && facts.hints.readOnlyHint === true;
  const origin: ToolOrigin = {
    type: "mcp",
    server,
    identity: toolIdentity(options.definitionFingerprint, facts),
    trustedReadOnly,
  };
  const { outputSchema: results } = facts;
  return {
    name: facts.name,
    origin,
    description: markedServerText(server, facts.description, MAX_DESCRIPTION_BYTES, options.redact),
    inputSchema: converted.schema,
    ...(results !== undefined && { outputSchema: outputSchema(results, options.redact) }),
    kind: trustedReadOnly ? "read" : "other",
    risk: trustedReadOnly ? "read" : "network",
    prepare: (input) => Promise.resolve(prepare(input, options, trustedReadOnly)),
  };
}

function prepare(
  input: unknown,
  options: McpToolOptions,
  readOnly: boolean,
): PreparedCall | RefusedCall {
  const { facts, converted, redact } = options;
  const name = cleanServerName(facts.name, undefined, redact);
  const args = converted.restore(input);
  if (!isJsonObject(args)) {
    const message = `The input of ${name} is not usable: it has to be one JSON object.`;
    return { ok: false, message };
  }
  const fault = converted.validate(args);
  const title = titleOf(args, options);
  if (fault !== undefined) {
    return { ok: false, message: `The input of ${name} is not usable: ${fault}`, title };
  }
  const preview = {
    title,
    risk: readOnly ? ("read" as const) : ("network" as const),
    subject: { type: "none" as const },
    locations: [],
    diff: [],
  };
  return { ok: true, preview, run: (context) => run(args, options, context) };
}

async function run(
  args: Readonly<Record<string, unknown>>,
  { call, server, facts, outputFolder, redact }: McpToolOptions,
  { signal, onOutput, seq }: RunContext,
): Promise<ToolOutcome> {
  const lines = onOutput === undefined ? undefined : new ProgressLines(onOutput, redact);
  const answer = await call(args, {
    signal,
    onProgress: (progress) => lines?.take(progress),
  });
  lines?.end();
  if (!answer.ok) return failed(callFailureText(answer, { server, tool: facts.name, redact }));
  return toolOutcome(answer.result, { outputFolder, redact, name: `${seq}-mcp`, signal });
}

/** One short line. Secrets are hidden before anything is cut: half of one would not be found. */
function titleOf(
  args: Readonly<Record<string, unknown>>,
  { server, facts, redact }: McpToolOptions,
): string {
  const shown = Object.entries(args).map(([key, value]) => {
    const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "");
    const [name, shownValue] = [key, text].map((it) => redactedHead(it, MAX_SHOWN_CHARS, redact));
    return ` ${name}=${shownValue}`;
  });
  const name = `${cleanServerName(server)}: ${cleanServerName(facts.name, undefined, redact)}`;
  const title = `${name}${visibleLine(shown.join("").slice(0, MAX_READ_CHARS))}`;
  return title.length <= MAX_TITLE_CHARS ? title : `${title.slice(0, MAX_TITLE_CHARS - 1)}…`;
}

/** SHA-256 (hex) over definition, name, texts, schemas and hints: a changed tool is another tool. */
export function toolIdentity(
  definitionFingerprint: string,
  { name, textDigest, inputSchema, outputSchema: results, hints }: McpToolFacts,
): string {
  const parts = [definitionFingerprint, name, textDigest, inputSchema, hints, results];
  return createHash("sha256")
    .update(JSON.stringify(sorted(parts.filter((part) => part !== undefined))))
    .digest("hex");
}

/** With keys in one order: to write them in another one makes no other tool. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isJsonObject(value)) return value;
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return entries.map(([key, item]) => [key, sorted(item)]);
}
