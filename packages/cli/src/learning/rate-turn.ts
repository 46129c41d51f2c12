import {
  createRedactor,
  type FeedbackOptions,
  type FeedbackResult,
  giveFeedback,
  type RecordedFeedback,
  recordFeedback,
} from "@acumen/agent";
import type { OpenedAgent } from "../agent/open-agent.ts";
import { secretValues } from "../agent/secret-values.ts";
import { refuseLearning } from "./refuse-learning.ts";

type Learner = Pick<OpenedAgent, "loaded" | "resolveModel" | "trust" | "workspace">;

interface TurnRating extends Pick<FeedbackOptions, "onProgress" | "rating" | "text"> {
  /** Of the session, an absolute path. */
  readonly cwd: string;
  readonly session: FeedbackOptions["session"];
  readonly record: NonNullable<FeedbackOptions["record"]>;
  readonly signal: AbortSignal;
}

/**
 * Rates the last finished turn of a session and learns from it as the settings of its folder say.
 * @throws AGENT_FEEDBACK_INVALID, CLI_REFUSED_TO_AGENT, CLI_SETTING*; the abort's error
 */
export async function rateTurn(opened: Learner, rating: TurnRating): Promise<FeedbackResult> {
  return giveFeedback(await optionsFor(opened, rating));
}

/**
 * Records the rating of the last finished turn; learning comes later.
 * @throws AGENT_FEEDBACK_INVALID, CLI_REFUSED_TO_AGENT, CLI_SETTING*; the abort's error
 */
export async function recordRating(opened: Learner, rating: TurnRating): Promise<RecordedFeedback> {
  return recordFeedback(await optionsFor(opened, rating));
}

async function optionsFor(
  opened: Learner,
  { cwd, ...rating }: TurnRating,
): Promise<FeedbackOptions> {
  const { loaded, trust } = opened;
  const workspace = await opened.workspace(cwd);
  const { learning } = workspace.settings;
  refuseLearning(loaded.variables, learning.mode);
  return {
    ...rating,
    home: loaded.home.folder,
    workspace,
    learning,
    resolveModel: (id) => opened.resolveModel(id),
    redact: createRedactor(secretValues(loaded)),
    trust,
  };
}
