import type { BookState } from "./book-state.ts";
import { formatId, isUsableId } from "./ids.ts";
import type { AppliedOperation, SkippedOperation } from "./operation.ts";
import { type CheckedOperation, parseOperation, type Refusal } from "./operation-parse.ts";
import type { Skill, SkillTag } from "./skill.ts";
import type { InsightSource, SkillOrigin } from "./source.ts";
import { originSource, parseSources, uniteSources } from "./source-record.ts";

export interface ApplyOptions {
  /** Written into every source that these operations bring along. */
  readonly origin?: SkillOrigin;
  /** Attached to every skill that is added or updated. */
  readonly sources?: readonly InsightSource[];
  /** Lets an ADD carry the id of its skill, which must be new. Default false: an id that a model chose is ignored. */
  readonly allowIds?: boolean;
}

interface Batch {
  readonly state: BookState;
  readonly now: string;
  readonly sources: readonly InsightSource[];
  readonly origin: SkillOrigin | undefined;
  readonly allowIds: boolean;
}

export interface BatchResult {
  readonly applied: AppliedOperation[];
  readonly skipped: SkippedOperation[];
  /** Whether anything in the book differs now; a duplicate that only united sources counts. */
  readonly changed: boolean;
}

/** Id of the skill, or why nothing was done. `changed` tells a refusal that still united sources. */
type Outcome =
  | { readonly skillId: string }
  | { readonly refusal: Refusal; readonly skillId?: string; readonly changed?: boolean };

/**
 * Applies the good operations of a batch in order. Everything that could throw (reading foreign values) happens before the first
 * change, so a batch is never half applied.
 */
export function applyBatch(
  state: BookState,
  operations: readonly unknown[],
  now: string,
  options: ApplyOptions,
): BatchResult {
  const batch: Batch = {
    state,
    now,
    sources: parseSources(options.sources).sources,
    origin: options.origin,
    allowIds: options.allowIds ?? false,
  };
  const parsed = Array.from(operations, parseOperation);
  const applied: AppliedOperation[] = [];
  const skipped: SkippedOperation[] = [];
  let changed = false;
  for (const [index, each] of parsed.entries()) {
    const outcome =
      "refusal" in each ? { refusal: each.refusal } : applyOperation(batch, each.operation);
    if ("refusal" in outcome) {
      const { skillId } = outcome;
      skipped.push({ index, ...outcome.refusal, ...(skillId !== undefined && { skillId }) });
      changed ||= outcome.changed ?? false;
    } else if ("operation" in each) {
      applied.push({ index, type: each.operation.type, skillId: outcome.skillId });
      changed = true;
    }
  }
  return { applied, skipped, changed };
}

function applyOperation(batch: Batch, operation: CheckedOperation): Outcome {
  switch (operation.type) {
    case "ADD":
      return add(batch, operation);
    case "UPDATE":
      return update(batch, operation);
    case "TAG":
      return change(batch, operation.skillId, (skill) => raiseCounters(skill, operation.tags));
    case "REMOVE":
      return change(batch, operation.skillId, (skill) => ({
        ...skill,
        status: "invalid",
        updatedAt: batch.now,
      }));
  }
}

function add(batch: Batch, operation: CheckedOperation & { type: "ADD" }): Outcome {
  const { state, now } = batch;
  const { section, content, justification, evidence } = operation;
  const givenId = batch.allowIds ? operation.givenId : undefined;
  if (givenId !== undefined && !isUsableId(givenId)) {
    return refuse("invalid_operation", `The id of this ADD cannot be used as a skill id.`);
  }
  if (givenId !== undefined && state.skills.has(givenId)) {
    return refuse("duplicate_id", `There is a skill ${givenId} already; give a new id or none.`);
  }
  const sources = uniteSources([], attached(batch, operation.sources));
  const twin = state.findDuplicate(content);
  if (twin) return collapse(state, twin, sources);
  const skill: Skill = {
    id: givenId ?? formatId(section, state.lastNumber + 1),
    section,
    content,
    justification,
    evidence,
    helpful: 0,
    harmful: 0,
    neutral: 0,
    createdAt: now,
    updatedAt: now,
    status: "active",
    sources,
  };
  // Asked before the number is taken, so that a refused ADD uses none up.
  if (!state.fits(skill)) return full();
  const id = givenId ?? state.nextId(section);
  state.put({ ...skill, id });
  return { skillId: id };
}

/** An exact duplicate adds nothing but its provenance. */
function collapse(state: BookState, twin: Skill, more: readonly InsightSource[]): Outcome {
  const sources = uniteSources(twin.sources, more);
  const united: Skill = { ...twin, sources };
  const changed = sources !== twin.sources && state.fits(united);
  if (changed) state.put(united);
  return {
    ...refuse("duplicate", `Skill ${twin.id} says this already.`),
    skillId: twin.id,
    changed,
  };
}

function update(batch: Batch, operation: CheckedOperation & { type: "UPDATE" }): Outcome {
  const { skillId, content, justification, evidence } = operation;
  const twin = content === null ? undefined : batch.state.findDuplicate(content);
  if (twin && twin.id !== skillId && batch.state.skills.get(skillId)?.status === "active") {
    return { ...refuse("duplicate", `Skill ${twin.id} says this already.`), skillId: twin.id };
  }
  return change(batch, skillId, (skill) => {
    const { embedding, ...rest } = skill;
    const sameContent = content === null || content === skill.content;
    return {
      ...rest,
      content: content ?? skill.content,
      justification: justification ?? skill.justification,
      evidence: evidence ?? skill.evidence,
      updatedAt: batch.now,
      sources: uniteSources(skill.sources, attached(batch, operation.sources)),
      // An embedding describes the content alone.
      ...(sameContent && embedding !== undefined && { embedding }),
    };
  });
}

function change(batch: Batch, skillId: string, edit: (skill: Skill) => Skill): Outcome {
  const skill = batch.state.skills.get(skillId);
  if (!skill) return refuse("unknown_skill", `There is no skill "${skillId.slice(0, 128)}".`);
  if (skill.status !== "active") {
    return { ...refuse("inactive_skill", `Skill ${skillId} was removed.`), skillId };
  }
  const edited = edit(skill);
  if (!batch.state.fits(edited)) return { ...full(), skillId };
  batch.state.put(edited);
  return { skillId };
}

function raiseCounters(skill: Skill, tags: readonly SkillTag[]): Skill {
  const raised: { -readonly [Key in keyof Skill]: Skill[Key] } = { ...skill };
  for (const tag of tags) raised[tag] = Math.min(skill[tag] + 1, Number.MAX_SAFE_INTEGER);
  return raised;
}

function attached(batch: Batch, own: readonly InsightSource[]): readonly InsightSource[] {
  const { origin } = batch;
  const sources = [...own, ...batch.sources];
  if (origin === undefined) return sources;
  if (sources.length === 0) return [originSource(origin)];
  return sources.map((source) => (source.origin === undefined ? { ...source, origin } : source));
}

function refuse(reason: Refusal["reason"], message: string): { readonly refusal: Refusal } {
  return { refusal: { reason, message } };
}

function full(): { readonly refusal: Refusal } {
  return refuse(
    "book_full",
    "The book has reached its limit of skills or text. Merge near-duplicates and purge removed skills first.",
  );
}
