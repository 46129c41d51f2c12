import type { CodingSession, SessionHost, SessionMode } from "@acumen/agent";
import { agentError } from "@acumen/agent";
import { checkThoughtLevel } from "@acumen/models";
import type { SessionFlagValues } from "../commands/session-flags.ts";
import { languageModel } from "../agent/language-model.ts";
import type { Ignored, OpenedAgent } from "../agent/open-agent.ts";
import { usableLevel } from "../agent/usable-level.ts";
import { cliError } from "../errors.ts";
import { refuseAuto } from "../refuse-agent.ts";

type Flags = Pick<
  SessionFlagValues,
  "continue" | "cwd" | "mode" | "model" | "session" | "thoughtLevel"
>;

export interface RunSession {
  readonly session: CodingSession;
  /** It was made just now. */
  readonly isNew: boolean;
  readonly ignored: Ignored | undefined;
  /** Why the thought level of the settings does not count; absent when it does. */
  readonly unusedLevel?: string;
}

/**
 * A new session, the one that is named, or the newest of the workspace. A stored one keeps its model, thought level and mode
 * unless a flag says otherwise.
 * @throws CLI_USAGE, CLI_NO_MODEL, CLI_REFUSED_TO_AGENT, MODEL_FAILED, AGENT_*
 */
export async function openRunSession(
  opened: OpenedAgent,
  flags: Flags,
  host: SessionHost,
): Promise<RunSession> {
  const { agent, loaded } = opened;
  if (flags.session !== undefined && flags.continue === true) {
    throw cliError("CLI_USAGE", "--session and --continue name two sessions. Leave one out.");
  }
  const stored = await storedSession(opened, flags);
  if (stored === undefined) {
    const workspace = await opened.workspace(flags.cwd ?? process.cwd());
    const { cwd, mode } = workspace;
    refuseAuto(loaded.variables, mode);
    const model = languageModel(workspace.model);
    // Before anything is stored: a session without a model is of no use to anybody.
    const found = await opened.resolveModel(model);
    checkThoughtLevel(flags.thoughtLevel, found, found.capabilities);
    const { thoughtLevel, unused } = usableLevel(found, workspace.thoughtLevel);
    const session = await agent.createSession({
      ...host,
      cwd,
      model,
      ...(mode !== undefined && { mode }),
      ...(thoughtLevel !== undefined && { thoughtLevel }),
    });
    return {
      session,
      isNew: true,
      ignored: workspace.ignored,
      ...(unused !== undefined && { unusedLevel: unused }),
    };
  }
  const workspace = await opened.workspace(stored.cwd);
  refuseAuto(loaded.variables, workspace.mode);
  refuseAuto(loaded.variables, flags.mode ?? stored.mode);
  const session = await agent.openSession(stored.id, {
    ...host,
    ...(flags.model !== undefined && { model: languageModel(workspace.model) }),
    ...(flags.mode !== undefined && { mode: flags.mode }),
    ...(flags.thoughtLevel !== undefined && { thoughtLevel: flags.thoughtLevel }),
  });
  return { session, isNew: false, ignored: workspace.ignored };
}

async function storedSession(
  { agent, workspace }: OpenedAgent,
  flags: Flags,
): Promise<{ readonly id: string; readonly cwd: string; readonly mode: SessionMode } | undefined> {
  if (flags.session !== undefined) {
    const { meta } = await agent.store.read(flags.session);
    if (flags.cwd !== undefined && (await workspace(flags.cwd)).cwd !== meta.cwd) {
      throw cliError("CLI_USAGE", `The session belongs to ${meta.cwd}. Leave --cwd out.`);
    }
    return { id: meta.session_id, cwd: meta.cwd, mode: meta.mode };
  }
  if (flags.continue !== true) return undefined;
  const { cwd } = await workspace(flags.cwd ?? process.cwd());
  const { sessions } = await agent.store.list({ workspace: cwd, limit: 1 });
  const [newest] = sessions;
  if (newest !== undefined) return { id: newest.session_id, cwd, mode: newest.mode };
  throw agentError("AGENT_SESSION_NOT_FOUND", `${cwd} has no session yet. Leave --continue out.`);
}
