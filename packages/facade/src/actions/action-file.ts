import { createHash } from "node:crypto";
import { z } from "zod";
import { jsonObjectSchema } from "../envelope/json-value.ts";
import { ValidationError } from "../errors/domain-error.ts";
import { PROFILE_NAMES } from "../plans/profile.ts";
import type { Action } from "../services/action-registry.ts";
import { headOf } from "../context/well-formed.ts";
import { schemaFaults } from "./argument-schema.ts";
import { yamlValue } from "./yaml-value.ts";

/** Where a project keeps its actions. */
export const ACTIONS_FOLDER = ".acumen/actions";

export const MAX_ACTION_BYTES = 256 * 1024;
/** Of the front matter: to read YAML takes long. */
const MAX_HEAD_BYTES = 64 * 1024;
const DEFAULT_TIMEOUT_SECONDS = 300;
/** As names of tools and actors: `namespace/name`. */
const NAME = /^[a-z0-9][a-z0-9._-]{0,62}\/[a-z0-9][a-z0-9._/-]{0,126}$/;
/** What a terminal obeys, what turns the order of characters round, and what nobody sees; emoji and scripts need three of these. */
const HIDDEN_IN_TEXT =
  /(?![\t\n\r]|\u{200C}|\u{200D}|\u{FE0F})[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u;
/** With a joiner inside a command is another command than the one that is seen. */
const HIDDEN_IN_COMMAND =
  /(?![\t\n]|\u{FE0F})[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u;
const HIDDEN = "expected no characters that cannot be seen";
const MOST_FAULTS = 20;
const MOST_FAULT_CHARS = 300;
const RESERVED = new Set(["builtin", "mcp"]);

const validation = z.strictObject({
  name: z.string().min(1).max(100).refine(isPlain, HIDDEN),
  run: z.string().min(1).max(10_000).refine(isPlain, HIDDEN),
  timeout_seconds: z.number().int().min(1).max(3_600).default(DEFAULT_TIMEOUT_SECONDS),
  network: z.boolean().default(false),
});

const frontMatter = z.strictObject({
  name: z
    .string()
    .regex(NAME, "expected namespace/name in lower case, such as team/fix-bug")
    .refine((name) => !RESERVED.has(name.split("/")[0] ?? ""), "this namespace is reserved"),
  description: z.string().trim().min(1).max(1_000).refine(isVisible, HIDDEN),
  arguments: jsonObjectSchema
    .default({ type: "object", properties: {}, additionalProperties: false })
    .refine((schema) => schema["type"] === "object", 'expected a JSON Schema of type "object"')
    .superRefine((schema, context) => {
      for (const message of schemaFaults(schema)) context.addIssue({ code: "custom", message });
    }),
  definition_of_done: z.string().min(1).max(10_000).refine(isVisible, HIDDEN).exactOptional(),
  validations: z
    .array(validation)
    .max(20)
    .default([])
    .refine(
      (list) => new Set(list.map(({ name }) => name)).size === list.length,
      "two validations have the same name",
    ),
  profile: z.enum(PROFILE_NAMES).exactOptional(),
});

/**
 * An action as Markdown with YAML front matter.
 * @param source its path within the project, with `/`
 * @throws ValidationError that names file, place and what was expected
 */
export function parseAction(text: string, source: string): Action {
  const fault = (...all: readonly string[]): ValidationError => faultsOf(source, all);
  if (Buffer.byteLength(text) > MAX_ACTION_BYTES) {
    throw fault(`it has more than ${MAX_ACTION_BYTES / 1024} KiB`);
  }
  const [, head, body] =
    /^\uFEFF?---[ \t]*\r?\n([\s\S]*?)\r?\n---[ \t]*(?:\r?\n([\s\S]*))?$/.exec(text) ?? [];
  if (head === undefined) throw fault("it does not begin with front matter between lines of ---");
  if (Buffer.byteLength(head) > MAX_HEAD_BYTES) {
    throw fault(`its front matter has more than ${MAX_HEAD_BYTES / 1024} KiB`);
  }
  const parsed = frontMatter.safeParse(yamlValue(head, fault));
  const prompt = (body ?? "").trim();
  const ofPrompt = promptFaults(prompt);
  if (!parsed.success) throw fault(...parsed.error.issues.map(issueText), ...ofPrompt);
  if (ofPrompt.length > 0) throw fault(...ofPrompt);
  const { name, description, definition_of_done: done, validations, profile } = parsed.data;
  return {
    name,
    description,
    arguments: parsed.data.arguments,
    definition_of_done: done ?? null,
    validations,
    profile: profile ?? null,
    body: prompt,
    source,
    digest: createHash("sha256").update(text).digest("hex"),
  };
}

function isVisible(text: string): boolean {
  return !HIDDEN_IN_TEXT.test(text);
}

function isPlain(text: string): boolean {
  return !HIDDEN_IN_COMMAND.test(text);
}

function promptFaults(prompt: string): readonly string[] {
  if (prompt === "") return ["it has no prompt below its front matter"];
  return isVisible(prompt) ? [] : [`its prompt: ${HIDDEN}`];
}

function issueText({ path, message }: z.core.$ZodIssue): string {
  return path.length === 0 ? message : `${path.join(".")}: ${message}`;
}

/** All of them, as far as somebody would read. */
function faultsOf(source: string, all: readonly string[]): ValidationError {
  const shown = all.slice(0, MOST_FAULTS).map((what) => headOf(what, MOST_FAULT_CHARS));
  const more = all.length - shown.length;
  const text = [...shown, ...(more > 0 ? [`and ${more} more`] : [])].join("; ");
  return new ValidationError(
    `The action ${source} cannot be used: ${text}.`,
    shown.map((message) => ({ path: [source], message })),
  );
}
