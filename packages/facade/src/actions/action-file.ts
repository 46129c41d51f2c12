import { createHash } from "node:crypto";
import { z } from "zod";
import { jsonObjectSchema } from "../envelope/json-value.ts";
import { ValidationError } from "../errors/domain-error.ts";
import { PROFILE_NAMES } from "../plans/profile.ts";
import type { Action } from "../services/action-registry.ts";
import { schemaFault } from "./argument-schema.ts";
import { yamlValue } from "./yaml-value.ts";

/** Where a project keeps its actions. */
export const ACTIONS_FOLDER = ".acumen/actions";

export const MAX_ACTION_BYTES = 256 * 1024;
/** Of the front matter: to read YAML takes long. */
const MAX_HEAD_BYTES = 64 * 1024;
const DEFAULT_TIMEOUT_SECONDS = 300;
/** As names of tools and actors: `namespace/name`. */
const NAME = /^[a-z0-9][a-z0-9._-]{0,62}\/[a-z0-9][a-z0-9._/-]{0,126}$/;
/** Without what a terminal obeys or what turns the order of characters round. */
const VISIBLE = /^(?:[^\p{Cc}\u202a-\u202e\u2066-\u2069]|[\t\n\r])*$/u;
const HIDDEN = "expected no characters that cannot be seen";
const RESERVED = new Set(["builtin", "mcp"]);

const validation = z.strictObject({
  name: z.string().min(1).max(100),
  run: z.string().min(1).max(10_000),
  timeout_seconds: z.number().int().min(1).max(3_600).default(DEFAULT_TIMEOUT_SECONDS),
  network: z.boolean().default(false),
});

const frontMatter = z.strictObject({
  name: z
    .string()
    .regex(NAME, "expected namespace/name in lower case, such as team/fix-bug")
    .refine((name) => !RESERVED.has(name.split("/")[0] ?? ""), "this namespace is reserved"),
  description: z.string().trim().min(1).max(1_000).regex(VISIBLE, HIDDEN),
  arguments: jsonObjectSchema
    .default({ type: "object", properties: {}, additionalProperties: false })
    .refine((schema) => schema["type"] === "object", 'expected a JSON Schema of type "object"')
    .superRefine((schema, context) => {
      const message = schemaFault(schema);
      if (message !== undefined) context.addIssue({ code: "custom", message });
    }),
  definition_of_done: z.string().min(1).max(10_000).exactOptional(),
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
  const fault = (what: string): ValidationError =>
    new ValidationError(`The action ${source} cannot be used: ${what}.`, [
      { path: [source], message: what },
    ]);
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
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const place = issue === undefined || issue.path.length === 0 ? "" : `${issue.path.join(".")}: `;
    throw fault(`${place}${issue?.message ?? "its front matter is not valid"}`);
  }
  const { name, description, definition_of_done: done, validations, profile } = parsed.data;
  const prompt = (body ?? "").trim();
  if (prompt === "") throw fault("it has no prompt below its front matter");
  if (!VISIBLE.test(prompt)) throw fault(`its prompt: ${HIDDEN}`);
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
