import { isJsonObject } from "@acumen/core";
import { cleanLine, cleanText, isLongerThan, isTooLong } from "./clean-text.ts";
import type { Operation, SkipReason } from "./operation.ts";
import { SKILL_TAGS, SKILLBOOK_LIMITS, type SkillTag } from "./skill.ts";
import type { InsightSource } from "./source.ts";
import { parseSources } from "./source-record.ts";

/** An operation whose texts are clean and within limits. A TAG of the original may raise several counters at once. */
export type CheckedOperation =
  | {
      readonly type: "ADD";
      readonly section: string;
      readonly content: string;
      readonly justification: string | null;
      readonly evidence: string | null;
      readonly sources: readonly InsightSource[];
      readonly givenId: string | undefined;
    }
  | {
      readonly type: "UPDATE";
      readonly skillId: string;
      readonly content: string | null;
      readonly justification: string | null;
      readonly evidence: string | null;
      readonly sources: readonly InsightSource[];
    }
  | { readonly type: "TAG"; readonly skillId: string; readonly tags: readonly SkillTag[] }
  | { readonly type: "REMOVE"; readonly skillId: string };

export interface Refusal {
  readonly reason: SkipReason;
  readonly message: string;
}

export type ParsedOperation =
  | { readonly operation: CheckedOperation }
  | { readonly refusal: Refusal };

type OperationType = Operation["type"];
const TYPES = new Set<string>(["ADD", "UPDATE", "TAG", "REMOVE"] satisfies OperationType[]);
const SECTION_CHARS = 200;
const DEFAULT_SECTION = "general";

class Refused extends Error {
  readonly reason: SkipReason;
  constructor(reason: SkipReason, message: string) {
    super(message);
    this.reason = reason;
  }
}

/**
 * Checks one operation by itself, in our camelCase or the original's snake_case (`skill_id`, `insight_source`,
 * `metadata: {helpful: n}`), type in any case. Never throws, whatever the value is.
 */
export function parseOperation(value: unknown): ParsedOperation {
  try {
    return { operation: checkOperation(value) };
  } catch (error) {
    if (error instanceof Refused)
      return { refusal: { reason: error.reason, message: error.message } };
    // A getter or proxy that throws is one more way to be no operation.
    return {
      refusal: { reason: "invalid_operation", message: "The operation could not be read." },
    };
  }
}

function checkOperation(value: unknown): CheckedOperation {
  if (!isJsonObject(value)) throw new Refused("invalid_operation", "An operation is an object.");
  const type = typeof value["type"] === "string" ? value["type"].trim().toUpperCase() : "";
  if (!TYPES.has(type)) {
    throw new Refused("invalid_operation", `"type" must be one of ${[...TYPES].join(", ")}.`);
  }
  const known = type as OperationType;
  switch (known) {
    case "ADD":
      return checkAdd(value);
    case "UPDATE":
      return checkUpdate(value);
    case "TAG":
      return { type: known, skillId: skillIdOf(value), tags: tagsOf(value) };
    case "REMOVE":
      return { type: known, skillId: skillIdOf(value) };
  }
}

function checkAdd(value: Record<string, unknown>): CheckedOperation {
  const content = textOf(value, "content") ?? "";
  if (content === "") throw new Refused("empty_content", `"content" of an ADD must not be empty.`);
  const givenId = value["id"] ?? value["skillId"] ?? value["skill_id"];
  return {
    type: "ADD",
    section: sectionOf(value["section"]),
    content,
    justification: textOf(value, "justification") || null,
    evidence: textOf(value, "evidence") || null,
    sources: sourcesOf(value),
    givenId: typeof givenId === "string" ? givenId : undefined,
  };
}

function checkUpdate(value: Record<string, unknown>): CheckedOperation {
  const skillId = skillIdOf(value);
  const content = textOf(value, "content");
  if (content === "")
    throw new Refused("empty_content", `"content" of an UPDATE must not be empty.`);
  const justification = textOf(value, "justification") || null;
  const evidence = textOf(value, "evidence") || null;
  if (content === null && justification === null && evidence === null) {
    throw new Refused(
      "invalid_operation",
      `UPDATE of ${skillId.slice(0, 128)} changes nothing: give "content", "justification" or "evidence".`,
    );
  }
  return { type: "UPDATE", skillId, content, justification, evidence, sources: sourcesOf(value) };
}

function skillIdOf(value: Record<string, unknown>): string {
  const id = value["skillId"] ?? value["skill_id"];
  if (typeof id !== "string" || id.trim() === "") {
    throw new Refused("invalid_operation", `"skill_id" must name a skill.`);
  }
  return id.trim();
}

function textOf(
  value: Record<string, unknown>,
  key: "content" | "justification" | "evidence",
): string | null {
  const text = value[key];
  if (text === undefined || text === null) return null;
  if (typeof text !== "string") throw new Refused("invalid_operation", `"${key}" must be a text.`);
  const clean = cleanText(text);
  if (isTooLong(clean)) {
    throw new Refused(
      "too_long",
      `"${key}" has ${clean.length} characters; at most ${SKILLBOOK_LIMITS.textChars} are kept. Say it shorter or split it.`,
    );
  }
  return clean;
}

function sectionOf(section: unknown): string {
  if (section === undefined || section === null) return DEFAULT_SECTION;
  if (typeof section !== "string")
    throw new Refused("invalid_operation", `"section" must be a text.`);
  const clean = cleanLine(section);
  if (isLongerThan(clean, SECTION_CHARS)) {
    throw new Refused("too_long", `"section" may have at most ${SECTION_CHARS} characters.`);
  }
  return clean || DEFAULT_SECTION;
}

/** `tag`, or the counters of the original's `metadata`: each name with a positive number counts once, whatever the number. */
function tagsOf(value: Record<string, unknown>): readonly SkillTag[] {
  const { tag, metadata } = value;
  const named = typeof tag === "string" ? tag.trim().toLowerCase() : undefined;
  const counted = isJsonObject(metadata) ? metadata : {};
  const tags = SKILL_TAGS.filter((name) => {
    const count = counted[name];
    return named === name || (named === undefined && typeof count === "number" && count > 0);
  });
  if (tags.length === 0) {
    throw new Refused("invalid_operation", `"tag" must be one of ${SKILL_TAGS.join(", ")}.`);
  }
  return tags;
}

function sourcesOf(value: Record<string, unknown>): readonly InsightSource[] {
  return parseSources(value["sources"] ?? value["insight_source"] ?? value["insightSource"])
    .sources;
}
