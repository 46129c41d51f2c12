import { createHash } from "node:crypto";
import { parseDocument } from "yaml";
import { z } from "zod";
import { jsonObjectSchema } from "../envelope/json-value.ts";
import { ValidationError } from "../errors/domain-error.ts";
import { PROFILE_NAMES } from "../plans/profile.ts";
import type { Action } from "../services/action-registry.ts";
import { uncheckedKeyword } from "./unchecked-keyword.ts";

/** Where a project keeps its actions. */
export const ACTIONS_FOLDER = ".acumen/actions";

export const MAX_ACTION_BYTES = 256 * 1024;
const DEFAULT_TIMEOUT_SECONDS = 300;
/** As names of tools and actors: `namespace/name`. */
const NAME = /^[a-z0-9][a-z0-9._-]{0,62}\/[a-z0-9][a-z0-9._/-]{0,126}$/;
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
  description: z.string().min(1).max(1_000),
  arguments: jsonObjectSchema
    .default({ type: "object", properties: {} })
    .refine((schema) => schema["type"] === "object", 'expected a JSON Schema of type "object"')
    .refine((schema) => uncheckedKeyword(schema) === undefined, {
      error: ({ input }) =>
        `the keyword ${uncheckedKeyword(input) ?? ""} is not checked here, so it may not be used (a $ref must begin with #)`,
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
  const document = parseDocument(head, {
    uniqueKeys: true,
    version: "1.2",
    logLevel: "silent",
  });
  const [broken] = document.errors;
  if (broken !== undefined)
    throw fault(`its front matter is no YAML (${broken.message.split("\n")[0] ?? ""})`);
  const parsed = frontMatter.safeParse(valueOf(document, fault));
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const place = issue === undefined || issue.path.length === 0 ? "" : `${issue.path.join(".")}: `;
    throw fault(`${place}${issue?.message ?? "its front matter is not valid"}`);
  }
  const { name, description, definition_of_done: done, validations, profile } = parsed.data;
  const prompt = (body ?? "").trim();
  if (prompt === "") throw fault("it has no prompt below its front matter");
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

function valueOf(
  document: ReturnType<typeof parseDocument>,
  fault: (what: string) => Error,
): unknown {
  try {
    // Aliases may grow without end.
    return document.toJS({ maxAliasCount: 50 });
  } catch {
    throw fault("its front matter has too many aliases");
  }
}
