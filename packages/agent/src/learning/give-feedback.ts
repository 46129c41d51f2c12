import { AcumenError, type Clock, type Logger, systemClock, throwIfAborted } from "@acumen/core";
import type { Model } from "@acumen/models";
import type { WorkspaceFacts } from "../agent/agent-options.ts";
import { agentError } from "../errors.ts";
import type { EventDraft, SessionEvent } from "../events/session-event.ts";
import type { AgentSettings, LearningMode } from "../settings/agent-settings.ts";
import { bookFiles, bookOf, readBookFile } from "../skills/book-files.ts";
import { placeOf } from "../skills/shown-id.ts";
import { usableSkills } from "../skills/usable-skills.ts";
import { changeMachine, type Changes, NO_CHANGES } from "./machine-changes.ts";
import { mapTexts } from "./map-texts.ts";
import type { FeedbackEvidence, ProposalDraft } from "./proposal.ts";
import { type Rating, ratedTurn, type RatedTurn, RATINGS } from "./rated-turn.ts";
import { countsOf, skillsInPlay, uniteCounts } from "./skill-counts.ts";
import { type FeedbackPhase, type StagedLearning, stageLearning } from "./staged-learning.ts";
import { turnTrace } from "./turn-trace.ts";
import { countInWorkspace, type TrustKeeper } from "./workspace-counts.ts";

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

export interface FeedbackResult extends Changes {
  readonly turnId: string;
  readonly mode: LearningMode;
  /** Id of the model that learned, or would have: `learning.model`, else the session's. */
  readonly modelId: string;
  /** What went wrong; the rating and its counts were kept all the same where that was possible. */
  readonly problems: readonly AcumenError[];
}

/**
 * Takes a person's rating of a turn: counts it for the skills that had a part in it, learns from the turn on a copy of the books, and
 * stores what came of it in one step: new skills as proposals that wait for a review (`suggest`), or in the machine's book (`auto`).
 * With `off` only the event is recorded. Each rating of a turn counts once, and a correction counts beside what it corrects. A model that fails costs the lesson, not the rating: the failure is among the problems.
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
  const changes =
    learning.mode === "off" ? NO_CHANGES : await learn(options, turn, evidence, problems);
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
  const modelId = learningModel(options);
  return { turnId: turn.turnId, mode: learning.mode, modelId, ...changes, problems };
}

async function learn(
  options: FeedbackOptions,
  turn: RatedTurn,
  evidence: FeedbackEvidence,
  problems: AcumenError[],
): Promise<Changes> {
  const { home, learning, rating, signal, clock, workspace, trust } = options;
  const inPlay = skillsInPlay(turn);
  const failed = (error: unknown): void => {
    if (signal?.aborted || !AcumenError.isInstance(error)) throw error;
    addProblem(problems, error);
  };
  let staged: StagedLearning = { counts: [], drafts: [] };
  try {
    staged = await stage(options, turn, evidence, inPlay, problems);
  } catch (error) {
    failed(error);
  }
  const counts = uniteCounts(countsOf(inPlay, rating), staged.counts);
  const inBook = (book: "machine" | "workspace") =>
    counts.filter(({ skillId }) => placeOf(skillId).book === book);
  tell(options, "saving");
  let changes = NO_CHANGES;
  try {
    changes = await changeMachine({
      home,
      mode: learning.mode,
      evidence,
      counts: inBook("machine"),
      drafts: staged.drafts,
      ...(signal && { signal }),
      ...(clock && { clock }),
    });
  } catch (error) {
    failed(error);
  }
  const theirs = inBook("workspace");
  if (!workspace.trusted) {
    const more = theirs.map((count) => ({ ...count, reason: "untrusted" as const }));
    return { ...changes, uncounted: [...changes.uncounted, ...more] };
  }
  // Until something is stored an abort still counts.
  if (changes === NO_CHANGES) throwIfAborted(signal);
  try {
    const { cwd } = workspace;
    const change = { home, cwd, evidence, counts: theirs, ...(trust && { trust }) };
    const { counted, uncounted, kept } = await countInWorkspace(change);
    return {
      ...changes,
      counted: [...changes.counted, ...counted],
      uncounted: [...changes.uncounted, ...uncounted],
      kept: [...changes.kept, ...kept],
    };
  } catch (error) {
    // What was stored before stands, an abort comes too late.
    if (!AcumenError.isInstance(error)) throw error;
    addProblem(problems, error);
    return changes;
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
  const { home, workspace, session, rating, resolveModel, redact, ...rest } = options;
  const { session_id: sessionId } = session.meta;
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
    modelId: learningModel(options),
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

function learningModel({ learning, session }: FeedbackOptions): string {
  return learning.model ?? session.meta.model;
}

function checkRating(rating: string): void {
  if (RATINGS.some((known) => known === rating)) return;
  throw agentError(
    "AGENT_FEEDBACK_INVALID",
    `The rating ${JSON.stringify(rating.slice(0, 40))} is unknown. Rate a turn with "good" or "bad".`,
  );
}

/** What fails twice for the same cause is said once. */
function addProblem(problems: AcumenError[], error: AcumenError): void {
  if (!problems.some(({ message }) => message === error.message)) problems.push(error);
}

/** A listener that throws must not cost the lesson. */
function tell({ onProgress, logger }: FeedbackOptions, phase: FeedbackPhase): void {
  try {
    onProgress?.(phase);
  } catch {
    logger?.warn("The progress listener threw; learning goes on");
  }
}
