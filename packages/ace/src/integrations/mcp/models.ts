import { isJsonObject, parseJson } from "@acumen/core";
import { z } from "zod";
import { mcpError } from "./errors.ts";
import { nestingExceeds } from "./nesting.ts";
import { charCount } from "./text-length.ts";
import type { ToolName } from "./tool-names.ts";

/** The published schema's limits; a configuration above them raises them, one below leaves them (the size check holds). */
const SCHEMA_SAMPLES = 25;
const SCHEMA_QUESTION_CHARS = 100_000;
const MAX_DEPTH = 64;

export interface ModelLimits {
  readonly maxSamples: number;
  readonly maxQuestionChars: number;
}

/** The limits of the request models (and of the published schemas) under a configuration. */
export function modelLimits(config: {
  readonly maxSamplesPerCall: number;
  readonly maxPromptChars: number;
}): ModelLimits {
  return {
    maxSamples: Math.max(SCHEMA_SAMPLES, config.maxSamplesPerCall),
    maxQuestionChars: Math.max(SCHEMA_QUESTION_CHARS, config.maxPromptChars),
  };
}

const name = z.string().min(1);

/** An empty text is the schema's business; blanks say nothing either, which a schema that hosts can read cannot say. */
const isBlank = (text: string): boolean => text !== "" && text.trim() === "";
const SAYS_NOTHING = { error: "must hold more than blanks" };
const filled = z
  .string()
  .min(1)
  .refine((text) => !isBlank(text), SAYS_NOTHING);

const metadata = z
  .record(z.string(), z.unknown())
  .refine((value) => !nestingExceeds(value, MAX_DEPTH), {
    error: `nests deeper than ${MAX_DEPTH} levels`,
  });

const sessionConfig = z.strictObject({
  model: filled.optional(),
  temperature: z.number().min(0).max(2).optional(),
  max_tokens: z.int().min(1).optional(),
});
export type SessionConfig = z.infer<typeof sessionConfig>;

const sample = z.strictObject({
  question: filled,
  context: z.string().default(""),
  ground_truth: z.string().nullable().default(null),
  metadata: metadata.optional(),
});
export type SampleRequest = z.infer<typeof sample>;

const question = (maxChars: number): z.ZodString =>
  filled.check((context) => {
    const count = charCount(context.value);
    if (count <= maxChars) return;
    context.issues.push({
      code: "custom",
      input: context.value,
      message: `Too big: expected string to have <=${maxChars} characters, it has ${count}`,
    });
  });

/** The six request models; a test holds their verdicts equal to those of the published input schemas. */
function requestModels(limits: ModelLimits) {
  return {
    "ace.ask": z.strictObject({
      session_id: name,
      question: question(limits.maxQuestionChars),
      context: z.string().default(""),
      session_config: sessionConfig.optional(),
      metadata: metadata.optional(),
    }),
    "ace.learn.sample": z.strictObject({
      session_id: name,
      samples: z.array(sample).min(1).max(limits.maxSamples),
      epochs: z.int().min(1).max(20).default(1),
      session_config: sessionConfig.optional(),
    }),
    "ace.learn.feedback": z
      .strictObject({
        session_id: name,
        question: filled,
        // An answer of blanks is one that can be judged.
        answer: z.string().min(1),
        feedback: z.string().min(1),
        context: z.string().default(""),
        ground_truth: z.string().nullable().default(null),
        session_config: sessionConfig.optional(),
      })
      // A ground truth is judgement enough.
      .refine(({ feedback, ground_truth: truth }) => !isBlank(feedback) || truth?.trim(), {
        ...SAYS_NOTHING,
        path: ["feedback"],
      }),
    "ace.skillbook.get": z.strictObject({
      session_id: name,
      limit: z.int().min(1).max(200).default(20),
      include_invalid: z.boolean().default(false),
    }),
    "ace.skillbook.save": z.strictObject({ session_id: name, path: z.string().min(1) }),
    "ace.skillbook.load": z.strictObject({ session_id: name, path: z.string().min(1) }),
  } as const;
}

type RequestModels = ReturnType<typeof requestModels>;
export type Requests = { readonly [Tool in ToolName]: z.infer<RequestModels[Tool]> };

const count = z.int().min(0);
const learnCounts = { skill_count_before: count, skill_count_after: count, new_skill_count: count };

/** The six reply models; every reply passes its model before it is sent. */
export const REPLY_MODELS = {
  "ace.ask": z.strictObject({ session_id: z.string(), answer: z.string(), skill_count: count }),
  "ace.learn.sample": z.strictObject({
    session_id: z.string(),
    processed: count,
    failed: count,
    ...learnCounts,
  }),
  "ace.learn.feedback": z.strictObject({
    session_id: z.string(),
    learned: z.boolean(),
    ...learnCounts,
  }),
  "ace.skillbook.get": z.strictObject({
    session_id: z.string(),
    stats: z.record(z.string(), z.unknown()),
    skills: z.array(
      z.looseObject({
        id: z.string(),
        content: z.string(),
        topic: z.string().nullable(),
        helpful: z.int().nullable(),
        harmful: z.int().nullable(),
        neutral: z.int().nullable(),
      }),
    ),
  }),
  "ace.skillbook.save": z.strictObject({
    session_id: z.string(),
    path: z.string(),
    saved_skill_count: count,
  }),
  "ace.skillbook.load": z.strictObject({
    session_id: z.string(),
    path: z.string(),
    skill_count: count,
  }),
} as const;
export type Replies = { readonly [Tool in ToolName]: z.infer<(typeof REPLY_MODELS)[Tool]> };

export interface Issue {
  /** For example `samples[1].question`; empty for the arguments as a whole. */
  readonly path: string;
  readonly message: string;
}

export interface RequestParser {
  /**
   * Checks the arguments of a tool and fills in defaults. Some hosts send objects as JSON strings: `samples`,
   * `session_config` and `metadata` are parsed when they are such strings.
   * @throws ACE_MCP_VALIDATION_ERROR with `details.issues`.
   */
  parse<Tool extends ToolName>(tool: Tool, args: unknown): Requests[Tool];
}

export function createRequestParser(limits: ModelLimits): RequestParser {
  const models = requestModels(limits);
  return {
    parse<Tool extends ToolName>(tool: Tool, args: unknown): Requests[Tool] {
      const result = models[tool].safeParse(withParsedStrings(args));
      if (!result.success) throw invalid(tool, result.error.issues.flatMap(toIssues));
      // The indexed access above already chose the model of this tool.
      return result.data as Requests[Tool];
    },
  };
}

function invalid(tool: ToolName, issues: readonly Issue[]): Error {
  const shown = issues.slice(0, 3).map(({ path, message }) => `${path || "arguments"}: ${message}`);
  const more = issues.length > shown.length ? `; and ${issues.length - shown.length} more` : "";
  return mcpError(
    "ACE_MCP_VALIDATION_ERROR",
    `The arguments of ${tool} are not valid: ${shown.join("; ")}${more}.`,
    { details: { issues } },
  );
}

function toIssues(issue: z.core.$ZodIssue): Issue[] {
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((key) => ({
      path: pathText([...issue.path, key]),
      message: "there is no such field here",
    }));
  }
  // JSON knows no records, and whoever reads this sends JSON.
  const message = issue.message.replace("expected record", "expected object");
  return [{ path: pathText(issue.path), message }];
}

function pathText(path: readonly PropertyKey[]): string {
  return path
    .map((part, index) =>
      typeof part === "number" ? `[${part}]` : `${index > 0 ? "." : ""}${String(part)}`,
    )
    .join("");
}

function withParsedStrings(args: unknown): unknown {
  if (!isJsonObject(args)) return args;
  const copy = { ...args };
  for (const field of ["samples", "session_config", "metadata"])
    if (field in copy) copy[field] = parsedString(copy[field]);
  const samples = copy["samples"];
  if (Array.isArray(samples)) copy["samples"] = samples.map(withParsedMetadata);
  return copy;
}

function withParsedMetadata(item: unknown): unknown {
  if (!isJsonObject(item) || !("metadata" in item)) return item;
  return { ...item, metadata: parsedString(item["metadata"]) };
}

/** A string that is no JSON stays as it is, so that the model reports the type that it expected. */
function parsedString(value: unknown): unknown {
  if (typeof value !== "string") return value;
  try {
    const parsed = parseJson(value, { maxDepth: MAX_DEPTH + 4 });
    return typeof parsed === "object" && parsed !== null ? parsed : value;
  } catch {
    return value;
  }
}
