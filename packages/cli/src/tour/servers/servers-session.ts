import {
  type CodingAgent,
  CodingAgentBuilder,
  type CodingSession,
  DEFAULT_SETTINGS,
  FileSessionStore,
  McpConfigManager,
  type SessionEvent,
  type StopReason,
  textBlock,
  WorkspaceTrust,
} from "@acumen/agent";
import { resolveModel } from "@acumen/models";
import type { PracticePlace } from "../practice/practice-place.ts";
import { scriptedModel } from "../practice/practice-place.ts";
import { answerLines, eventLines } from "../practice/session-report.ts";
import type { Stage } from "../stage.ts";
import { stateLines } from "./servers-report.ts";
import type { ServersResult, ServerState } from "./servers-result.ts";

type SessionResult = Omit<ServersResult, "added">;

/** Three turns of the real agent: with the server, without it, and with it again. The session is closed when this settles. */
export async function useTheServer(
  stage: Stage,
  place: PracticePlace,
  server: string,
): Promise<SessionResult> {
  const { terminal, signal } = stage;
  const agent = agentIn(place);
  let approved = 0;
  try {
    const session = await agent.createSession({
      cwd: place.repository,
      model: scriptedModel("use-a-server"),
      mode: "safe",
      mcp: { wait: "settled" },
      approvals: {
        request: (request) => {
          const answer = request.origin.type === "mcp" ? "allow_always" : "reject_once";
          approved += 1;
          terminal.print(...answerLines(terminal, request, answer));
          return Promise.resolve(answer);
        },
      },
    });
    session.subscribe((event) => terminal.print(...eventLines(terminal, event)));
    const states: ServerState[] = [];
    const stopReasons: StopReason[] = [];
    const turn = async (prompt: string, label: string): Promise<void> => {
      const { stopReason } = await agent.runtime.runPrompt(session, [textBlock(prompt)], {
        source: "tour",
        ...(signal && { signal }),
      });
      signal?.throwIfAborted();
      stopReasons.push(stopReason);
      states.push(...shownStates(stage, session, label));
    };
    await turn("What does lockers.mjs say? Teach it to the skills server and ask it.", "Now");
    await session.mcp?.pause(server);
    await turn("Ask the server once more.", "Paused");
    await session.mcp?.resume(server);
    await turn("And now?", "Resumed");
    return { states, stopReasons, approved, ...factsOf(session.events, server) };
  } finally {
    await agent.close();
  }
}

function agentIn({ home, env }: PracticePlace): CodingAgent {
  const trust = new WorkspaceTrust({ home, environment: env });
  return new CodingAgentBuilder({
    home,
    store: new FileSessionStore({ home }),
    resolveModel: (id) => resolveModel(id, { env: {}, allowScripted: true }),
    settingsFor: () => Promise.resolve(DEFAULT_SETTINGS),
    environment: env,
    mcp: new McpConfigManager({ home, environment: env, trust }),
  }).build();
}

function shownStates(
  { terminal }: Stage,
  { mcp }: CodingSession,
  label: string,
): readonly ServerState[] {
  const states = mcp?.status() ?? [];
  terminal.print(...stateLines(terminal, label, states));
  return states;
}

function factsOf(
  events: readonly SessionEvent[],
  server: string,
): Pick<SessionResult, "calls" | "changes" | "refused"> {
  const origins = new Map<string, "own" | "server">();
  const calls = { own: 0, server: 0 };
  let refused = 0;
  const changes: string[] = [];
  for (const { type, payload } of events) {
    if (type === "MCP_STATUS" && payload.server === server) changes.push(payload.state);
    if (type === "TOOL_CALL") {
      origins.set(payload.call_id, payload.server === server ? "server" : "own");
    }
    if (type !== "TOOL_RESULT") continue;
    if (payload.status === "completed") calls[origins.get(payload.call_id) ?? "own"] += 1;
    else refused += 1;
  }
  return { calls, refused, changes };
}
