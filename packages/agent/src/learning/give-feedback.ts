import {
  AcumenError,
  type Clock,
  ensureFolder,
  type Logger,
  systemClock,
  throwIfAborted,
} from "@acumen/core";
import type { Model } from "@acumen/models";
import type { WorkspaceFacts } from "../agent/agent-options.ts";
import { agentError } from "../errors.ts";
import type { EventDraft, SessionEvent } from "../events/session-event.ts";
import type { AgentSettings, LearningMode } from "../settings/agent-settings.ts";
import { bookFiles, bookOf, machineBook, readBookFile } from "../skills/book-files.ts";
import { placeOf } from "../skills/shown-id.ts";
import { usableSkills } from "../skills/usable-skills.ts";
import { commitLocked, openBook } from "./commit.ts";
import { mapTexts } from "./map-texts.ts";
import {
  type FeedbackEvidence,
  type Proposal,
  type ProposalDraft,
  type Taken,
  withProposals,
} from "./proposal.ts";
import { carryOut } from "./proposal-operations.ts";
import { ProposalStore } from "./proposal-store.ts";
import { type Rating, ratedTurn, type RatedTurn, RATINGS } from "./rated-turn.ts";
import {
  countsOf,
  type SkillCount,
  skillsInPlay,
  uniteCounts,
  wasCounted,
} from "./skill-counts.ts";
import { type FeedbackPhase, type StagedLearning, stageLearning } from "./staged-learning.ts";
import { turnTrace } from "./turn-trace.ts";
import { countInWorkspace, tagOperations, type TrustKeeper } from "./workspace-counts.ts";

/** Characters of a person's words that are kept. */
const TEXT_CHARS = 4_000;

export interface FeedbackOptions {
  /** `$ACUMEN_HOME`, absolute; made on demand. */
  readonly home: string;
  readonly workspace: WorkspaceFacts;
  /** An open session, or a stored one as it was read. */
  readonly session: {
    readonly meta: { readonly session_id: string; readonly model: string };
    readonly events: readonly SessionEvent[];
  };
  /** Default: the last finished turn. While a turn runs, name the one that is meant. */
  readonly turnId?: string;
  readonly rating: Rating;
  /** What the person says beside it. */
  readonly text?: string;
  readonly learning: AgentSettings["learning"];
  /** Not asked for `builtin/recall`. */
  readonly resolveModel: (id: string) => Promise<Model>;
  /** Takes secrets out of a text: nothing else reaches the model, the proposals, the book or the event. */
  readonly redact: (text: string) => string;
  /** Puts an event (FEEDBACK; ERROR when learning failed) into the session's log. */
  readonly record?: (draft: EventDraft<"FEEDBACK" | "ERROR">) => Promise<unknown>;
  /** Keeps a trusted workspace trusted when counters of its book are raised. */
  readonly trust?: TrustKeeper;
  readonly signal?: AbortSignal;
  readonly onProgress?: (phase: FeedbackPhase) => void;
  readonly clock?: Clock;
  readonly logger?: Logger;
}

export interface FeedbackResult {
  readonly turnId: string;
  readonly mode: LearningMode;
  /** Counts that were raised, by shown id. */
  readonly counted: readonly SkillCount[];
  /** Waiting for a review (mode `suggest`). */
  readonly proposed: readonly Proposal[];
  /** Ids of the machine's book that were added or changed (mode `auto`). */
  readonly learned: readonly string[];
  /** Lessons that were not taken, and why. */
  readonly dropped: readonly { readonly content: string; readonly reason: string }[];
  /** What went wrong; the rating and its counts were kept all the same where that was possible. */
  readonly problems: readonly AcumenError[];
}

type Committed = Pick<FeedbackResult, "counted" | "proposed" | "learned" | "dropped">;
const NOTHING: Committed = { counted: [], proposed: [], learned: [], dropped: [] };

/**
 * Takes a person's rating of a turn: counts it for the skills that had a part in it, learns from the turn on a copy of the books, and
 * stores what came of it in one step: new skills as proposals that wait for a review (`suggest`), or in the machine's book (`auto`).
 * With `off` only the event is recorded. A model that fails costs the lesson, not the rating: the failure is among the problems.
 *
 * @throws AGENT_FEEDBACK_INVALID; CORE_ABORTED, and then nothing was stored or recorded
 */
export async function giveFeedback(options: FeedbackOptions): Promise<FeedbackResult> {
  const { rating, learning, signal, session, redact, record, clock = systemClock } = options;
  throwIfAborted(signal);
  checkRating(rating);
  const turn = ratedTurn(session.events, options.turnId);
  const text = redact(options.text ?? "").slice(0, TEXT_CHARS);
  const evidence: FeedbackEvidence = {
    session_id: session.meta.session_id,
    turn_id: turn.turnId,
    seqs: [turn.events[0]?.seq ?? 0, turn.events.at(-1)?.seq ?? 0],
    rating,
    text,
    cwd: options.workspace.cwd,
    at: clock.now().toISOString(),
  };
  const problems: AcumenError[] = [];
  const committed =
    learning.mode === "off" ? NOTHING : await learn(options, turn, evidence, problems);
  await record?.({
    type: "FEEDBACK",
    payload: { rated_turn_id: turn.turnId, rating, text },
  });
  for (const { code, message, retryable } of problems) {
    await record?.({
      type: "ERROR",
      payload: { code, message, retryable, source: "learning", attempt: 1 },
    });
  }
  return { turnId: turn.turnId, mode: learning.mode, ...committed, problems };
}

async function learn(
  options: FeedbackOptions,
  turn: RatedTurn,
  evidence: FeedbackEvidence,
  problems: AcumenError[],
): Promise<Committed> {
  const { session, rating, signal, workspace } = options;
  const inPlay = skillsInPlay(turn);
  const own = wasCounted(session.events, turn.turnId, rating) ? [] : countsOf(inPlay, rating);
  const failed = (error: unknown): void => {
    if (signal?.aborted || !AcumenError.isInstance(error)) throw error;
    problems.push(error);
  };
  let staged: StagedLearning = { counts: [], drafts: [] };
  try {
    staged = await stage(options, turn, evidence, inPlay, problems);
  } catch (error) {
    failed(error);
  }
  const counts = uniteCounts(own, staged.counts);
  const inBook = (book: "machine" | "workspace") =>
    counts.filter(({ skillId }) => placeOf(skillId).book === book);
  tell(options, "saving");
  let committed = NOTHING;
  // Proposals that cannot be stored must not cost the counts.
  for (const drafts of staged.drafts.length > 0 ? [staged.drafts, []] : [[]]) {
    try {
      committed = await commit(options, inBook("machine"), drafts);
      break;
    } catch (error) {
      failed(error);
    }
  }
  if (!workspace.trusted) return committed;
  try {
    const more = await countInWorkspace(workspace, inBook("workspace"), options.trust);
    return { ...committed, counted: [...committed.counted, ...more] };
  } catch (error) {
    if (!AcumenError.isInstance(error)) throw error;
    problems.push(error);
    return committed;
  }
}

/** Learns on a copy that holds the usable skills of both books. */
async function stage(
  options: FeedbackOptions,
  turn: RatedTurn,
  evidence: FeedbackEvidence,
  skillIds: readonly string[],
  problems: AcumenError[],
): Promise<StagedLearning> {
  const { home, workspace, session, rating, learning, resolveModel, redact, ...rest } = options;
  const { session_id: sessionId, model } = session.meta;
  const skills = [];
  for (const file of bookFiles(home, workspace)) {
    try {
      skills.push(...usableSkills(file.book, (await readBookFile(file)).skillbook));
    } catch (error) {
      if (file.book === "machine" || !AcumenError.isInstance(error)) throw error;
      problems.push(error);
    }
  }
  const verdict = `The person rated this turn ${rating}.`;
  const feedback = evidence.text.trim() === "" ? verdict : `${verdict} ${evidence.text}`;
  const staged = await stageLearning({
    modelId: learning.model ?? model,
    resolveModel,
    sessionId,
    copy: bookOf(skills),
    trace: turnTrace(turn, { sessionId, skillIds, feedback, redact }),
    rating,
    evidence,
    onPhase: (phase) => tell(options, phase),
    ...(rest.signal && { signal: rest.signal }),
    ...(rest.clock && { clock: rest.clock }),
    ...(rest.logger && { logger: rest.logger }),
  });
  // What the model saw was redacted; what it wrote is too, in case it put a secret together again.
  const drafts = staged.drafts.map((draft) => mapTexts(draft, redact) as ProposalDraft);
  return { ...staged, drafts };
}

/** Counters and lessons of the machine's book, all or nothing as far as an abort is concerned; each file is replaced whole. */
async function commit(
  { home, learning, signal, clock = systemClock }: FeedbackOptions,
  counts: readonly SkillCount[],
  drafts: readonly ProposalDraft[],
): Promise<Committed> {
  if (counts.length === 0 && drafts.length === 0) return NOTHING;
  await ensureFolder(home, { mode: 0o700 });
  const store = new ProposalStore(home);
  const file = machineBook(home);
  const suggests = learning.mode === "suggest" && drafts.length > 0;
  const paths = [...(suggests ? [store.path] : []), file.path];
  const prepare = async () => {
    const book = await openBook(file);
    const { applied } = book.skillbook.apply(tagOperations(counts));
    const counted = applied.flatMap(({ index }) => counts[index] ?? []);
    if (suggests) {
      const taken = withProposals(await store.read(), drafts, clock.now().toISOString());
      const write = async (): Promise<Committed> => {
        await store.write(taken.file);
        await book.save();
        return { ...NOTHING, counted, proposed: taken.proposed, dropped: droppedOf(taken) };
      };
      return { write };
    }
    const carried = drafts.map((draft) => ({
      content: draft.content,
      result: carryOut(book.skillbook, draft, "auto"),
    }));
    const learned = carried.flatMap(({ result }) => (result.ok ? [result.skillId] : []));
    const dropped = carried.flatMap(({ content, result }) =>
      result.ok ? [] : [{ content, reason: result.reason }],
    );
    const write = async (): Promise<Committed> => {
      await book.save();
      return { ...NOTHING, counted, learned, dropped };
    };
    return { write };
  };
  return commitLocked(paths, prepare, signal);
}

function droppedOf({ dropped }: Taken): FeedbackResult["dropped"] {
  return dropped.map(({ content, reason }) => ({
    content,
    reason:
      reason === "rejected"
        ? "A review refused it before."
        : "Too many proposals wait already; review them first.",
  }));
}

function checkRating(rating: string): void {
  if (RATINGS.some((known) => known === rating)) return;
  throw agentError(
    "AGENT_FEEDBACK_INVALID",
    `The rating ${JSON.stringify(rating.slice(0, 40))} is unknown. Rate a turn with "good" or "bad".`,
  );
}

/** A listener that throws must not cost the lesson. */
function tell({ onProgress, logger }: FeedbackOptions, phase: FeedbackPhase): void {
  try {
    onProgress?.(phase);
  } catch {
    logger?.warn("The progress listener threw; learning goes on");
  }
}
