import { agentError, EventLog, type FeedbackResult, type Rating } from "@acumen/agent";
import { systemClock } from "@acumen/core";
import type { AgentFlags } from "../agent/agent-flags.ts";
import { keyHelp } from "../agent/language-model.ts";
import { openAgent, type OpenedAgent } from "../agent/open-agent.ts";
import type { CommandContext } from "../command-context.ts";
import { EXIT_CODES } from "../exit-code.ts";
import { printable } from "../terminal/printable.ts";
import { lessonHelp } from "./feedback-lines.ts";
import { rateTurn } from "./rate-turn.ts";

interface Feedback {
  /** Id, or `last`. */
  readonly session: string;
  readonly rating: Rating;
  readonly text: string;
}

interface RateOptions {
  readonly context: CommandContext;
  readonly flags: Pick<AgentFlags, "config" | "trustOnce"> & { readonly cwd?: string };
  readonly onPhase: (phase: string) => void;
}

export interface RatedSession {
  readonly sessionId: string;
  readonly rating: Rating;
  readonly result: FeedbackResult;
}

/**
 * Rates the last turn of a stored session and learns from it. What could not be learned is said on stderr and makes exit
 * code 1; the rating stands all the same.
 * @throws AGENT_SESSION_NOT_FOUND, AGENT_SESSION_LOCKED, AGENT_FEEDBACK_INVALID, CLI_REFUSED_TO_AGENT, CLI_SETTING*
 */
export async function rate(feedback: Feedback, options: RateOptions): Promise<RatedSession> {
  const { context, flags, onPhase } = options;
  await using opened = await openAgent(context.environment, flags);
  const { agent } = opened;
  const sessionId = await sessionIdOf(feedback.session, opened, flags.cwd);
  const session = await agent.store.open(sessionId);
  try {
    const log = new EventLog(session, { clock: systemClock });
    const result = await rateTurn(opened, {
      cwd: session.meta.cwd,
      session: { meta: session.meta, events: session.events },
      rating: feedback.rating,
      text: feedback.text,
      record: (draft) => log.record(draft, { turnId: null, step: 0 }),
      signal: context.signal,
      onProgress: onPhase,
    });
    sayProblems(result, opened, context);
    return { sessionId, rating: feedback.rating, result };
  } finally {
    await session.close();
  }
}

async function sessionIdOf(
  name: string,
  { agent, workspace }: OpenedAgent,
  folder = process.cwd(),
): Promise<string> {
  if (name !== "last") return name;
  const { cwd } = await workspace(folder);
  const { sessions } = await agent.store.list({ workspace: cwd, limit: 1 });
  const [newest] = sessions;
  if (newest !== undefined) return newest.session_id;
  throw agentError("AGENT_SESSION_NOT_FOUND", `${cwd} has no session that could be rated.`);
}

function sayProblems(
  result: FeedbackResult,
  { loaded }: OpenedAgent,
  { stderr, ending }: CommandContext,
): void {
  for (const problem of result.problems) {
    for (const line of keyHelp(problem, loaded)) stderr.write(`${line}\n`);
    stderr.write(`acumen: ${problem.code}: ${printable(problem.message)}\n`);
    ending.exitCode = EXIT_CODES.failed;
  }
  for (const line of lessonHelp(result)) stderr.write(`acumen: ${line}\n`);
}
