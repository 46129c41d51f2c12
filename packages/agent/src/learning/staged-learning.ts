import {
  Ace,
  createModelRoles,
  createRecallRoles,
  diffSkillbooks,
  RECALL_MODEL_ID,
  type RoleSet,
  type Skill,
  SKILL_TAGS,
  type Skillbook,
} from "@acumen/ace";
import { abortError, type Clock, type Logger } from "@acumen/core";
import type { Model } from "@acumen/models";
import { placeOf } from "../skills/shown-id.ts";
import type { FeedbackEvidence, ProposalDraft } from "./proposal.ts";
import type { Rating } from "./rated-turn.ts";
import type { SkillCount } from "./skill-counts.ts";
import type { TurnTrace } from "./turn-trace.ts";

/** Steps of learning that take time, in their order. */
export type FeedbackPhase = "reflecting" | "curating" | "saving";

export interface StagedLearning {
  readonly counts: readonly SkillCount[];
  readonly drafts: readonly ProposalDraft[];
}

export interface StageOptions {
  /** `builtin/recall` or a language model. */
  readonly modelId: string;
  readonly resolveModel: (id: string) => Promise<Model>;
  readonly sessionId: string;
  /** A copy, under shown ids; it is changed. */
  readonly copy: Skillbook;
  readonly trace: TurnTrace;
  readonly rating: Rating;
  readonly evidence: FeedbackEvidence;
  readonly onPhase: (phase: FeedbackPhase) => void;
  readonly signal?: AbortSignal;
  readonly clock?: Clock;
  readonly logger?: Logger;
}

/**
 * Lets the engine learn from a turn on a copy of the books and tells what it changed there; no file is touched.
 * @throws CORE_ABORTED, MODEL_FAILED, and what else the roles fail with
 */
export async function stageLearning(options: StageOptions): Promise<StagedLearning> {
  const { copy, trace, rating, evidence, onPhase, signal, clock, logger } = options;
  const before = copy.snapshot();
  const roles = watched(await rolesFor(options), onPhase);
  const ace = Ace.fromRoles(roles, {
    skillbook: copy,
    ...(clock && { clock }),
    ...(logger && { logger }),
  });
  onPhase("reflecting");
  const report = await ace.learnFromTraces([trace], {
    origin: "session",
    // The rating is the verdict, whatever the words beside it sound like.
    environment: {
      evaluate: () => ({
        correct: rating === "good",
        feedback: `The person rated this turn ${rating}.`,
        metrics: {},
      }),
    },
    ...(signal && { signal }),
  });
  if (signal?.aborted) throw abortError(signal);
  if (report.firstError) throw report.firstError;
  const { added, changed, removed } = diffSkillbooks(before, copy);
  const draft = (change: ProposalDraft["change"], skill: Skill) =>
    draftOf(change, skill, copy, evidence);
  return {
    counts: changed.flatMap(({ before: old, after }) =>
      SKILL_TAGS.flatMap((tag) => (after[tag] > old[tag] ? [{ skillId: after.id, tag }] : [])),
    ),
    drafts: [
      ...added.map((skill) => draft("add", skill)),
      ...changed
        .filter(({ fields }) => fields.includes("content"))
        .flatMap(({ after }) => (isOurs(after) ? [draft("update", after)] : [])),
      ...removed.flatMap((skill) => (isOurs(skill) ? [draft("remove", skill)] : [])),
    ],
  };
}

/** The book of a workspace belongs to its repository: learning counts in it and changes no text of it. */
function isOurs({ id }: Skill): boolean {
  return placeOf(id).book === "machine";
}

async function rolesFor({
  modelId,
  resolveModel,
  sessionId,
  clock,
}: StageOptions): Promise<RoleSet> {
  if (modelId === RECALL_MODEL_ID) return createRecallRoles();
  const model = await resolveModel(modelId);
  // A script counts its steps per session: those of the conversation stay untouched.
  return createModelRoles(model, { session: `${sessionId}/learning`, ...(clock && { clock }) });
}

function watched(roles: RoleSet, onPhase: (phase: FeedbackPhase) => void): RoleSet {
  const { skillManager } = roles;
  return {
    ...roles,
    skillManager: {
      update: (input) => {
        onPhase("curating");
        return skillManager.update(input);
      },
    },
  };
}

function draftOf(
  change: ProposalDraft["change"],
  skill: Skill,
  copy: Skillbook,
  evidence: FeedbackEvidence,
): ProposalDraft {
  const sources = copy.toRecord().skills[skill.id]?.sources ?? [];
  const mine = `${evidence.session_id}/${evidence.turn_id}`;
  return {
    change,
    skill_id: change === "add" ? null : placeOf(skill.id).id,
    section: skill.section,
    content: skill.content,
    justification: skill.justification,
    evidence: skill.evidence,
    sources: sources.filter((source) => source.trace_id === mine).map((source) => ({ ...source })),
    feedback: [evidence],
  };
}
