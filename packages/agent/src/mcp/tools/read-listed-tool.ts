import { createHash } from "node:crypto";
import { isJsonObject } from "@acumen/core";
import { createRedactor, type Redactor } from "../../redaction/redactor.ts";
import { type ListedTool, TOOL_FAULT } from "../connection/mcp-connection.ts";
import type { QuarantinedTool } from "../mcp-status.ts";
import { headerFault } from "./header-annotations.ts";
import { cleanServerName, cleanServerText } from "./clean-server-text.ts";
import { copySchema } from "./schema/copy-schema.ts";

const HINTS = ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"] as const;
const MAX_NAME_CHARS = 1024;
const MAX_DESCRIPTION_BYTES = 2048;
const MAX_TITLE_BYTES = 200;
const UNNAMED = "(unnamed)";

/** What a server says about one tool, read and bounded. */
export interface McpToolFacts {
  /** Raw: what the server is asked for. */
  readonly name: string;
  readonly title?: string;
  /** Never empty: the title or the name where there is none. At most 2 kB, without secrets and hidden characters. */
  readonly description: string;
  /** As it came. */
  readonly inputSchema: Readonly<Record<string, unknown>>;
  /** A copy, when it is an object and not too large to be shown. */
  readonly outputSchema?: Readonly<Record<string, unknown>>;
  readonly hints: Readonly<Partial<Record<(typeof HINTS)[number], boolean>>>;
  /** Changes with the title and the description as they came, also where they are cut. SHA-256, hex. */
  readonly textDigest: string;
}

export type ReadTool =
  | { readonly ok: true; readonly facts: McpToolFacts }
  | ({ readonly ok: false } & QuarantinedTool);

/**
 * Reads one entry of a list. One that cannot be used says so and touches no other.
 * @param redact default: one that knows the shapes of keys alone
 */
export function readListedTool(listed: ListedTool, redact: Redactor = createRedactor()): ReadTool {
  const { name, [TOOL_FAULT]: known } = listed;
  if (typeof name !== "string" || name === "") {
    return { ok: false, tool: UNNAMED, reason: "It has no name." };
  }
  const tool = cleanServerName(name, undefined, redact) || UNNAMED;
  if (name.length > MAX_NAME_CHARS) {
    const reason = `Its name has ${name.length} characters; at most ${MAX_NAME_CHARS} are taken.`;
    return { ok: false, tool, reason };
  }
  if (known !== undefined) return { ok: false, tool, reason: known };
  const inputSchema = listed["inputSchema"] ?? undefined;
  const fault = schemaFault(listed, inputSchema);
  if (fault !== undefined) return { ok: false, tool, reason: fault };
  const annotations = isJsonObject(listed["annotations"]) ? listed["annotations"] : {};
  const rawTitle = firstText(listed["title"], annotations["title"]);
  const rawDescription = textOf(listed["description"]);
  const title = cleanServerName(rawTitle, MAX_TITLE_BYTES, redact);
  const facts: McpToolFacts = {
    name,
    ...(title !== "" && { title }),
    description: cleanServerText(rawDescription, MAX_DESCRIPTION_BYTES, redact) || title || tool,
    inputSchema: isJsonObject(inputSchema) ? inputSchema : { type: "object", properties: {} },
    ...outputSchemaOf(listed["outputSchema"]),
    hints: hintsOf(annotations),
    textDigest: createHash("sha256")
      .update(JSON.stringify([rawTitle, rawDescription]))
      .digest("hex"),
  };
  return { ok: true, facts };
}

function outputSchemaOf(schema: unknown): Pick<McpToolFacts, "outputSchema"> {
  const copied = isJsonObject(schema) ? copySchema(schema) : undefined;
  return copied?.ok === true ? { outputSchema: copied.copy } : {};
}

function schemaFault(listed: ListedTool, schema: unknown): string | undefined {
  if (schema === undefined && listed["inputSchema"] === undefined) return undefined;
  if (!isJsonObject(schema)) return "Its inputSchema is no JSON object.";
  return headerFault(schema);
}

function hintsOf(annotations: Readonly<Record<string, unknown>>): McpToolFacts["hints"] {
  return Object.fromEntries(
    HINTS.flatMap((hint) => {
      const said = annotations[hint];
      return typeof said === "boolean" ? [[hint, said]] : [];
    }),
  );
}

function firstText(...values: readonly unknown[]): string {
  return values.map(textOf).find((text) => text.trim() !== "") ?? "";
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
