import {
  type CodingAgent,
  type CodingSession,
  createRedactor,
  type CreateSessionOptions,
  type Redactor,
  textBlock,
  type TurnResult,
} from "@acumen/agent";
import { abortError, AcumenError, throwIfAborted } from "@acumen/core";
import { ConfigurationError } from "../errors/domain-error.ts";
import type {
  ExecutionResult,
  ExecutorRun,
  PlanExecutor,
  StrategyResult,
} from "../plans/plan-executor.ts";
import type { PlanStep } from "../plans/plan.ts";
import type { Project } from "../sandbox/sandboxes.ts";
import { EventBridge } from "./event-bridge.ts";
import { phasePrompt } from "./phase-prompt.ts";
import { PlanApprovalGateway } from "./plan-approval-gateway.ts";
import { checkEnded } from "./turn-outcome.ts";

export interface AgentPlanExecutorOptions {
  /** Whose home, store, limits and rules count for plans of that project. Asked for each phase. */
  readonly agentFor: (project: Project) => CodingAgent | Promise<CodingAgent>;
  /** For plans that name none; absent: such a plan fails with CONFIGURATION_ERROR. */
  readonly models: { readonly strategy?: string; readonly execution?: string };
  /** Definitions by name, in the shape of `mcpServers`, of the servers that the project has enabled. Default: none. */
  readonly mcpServersFor?: (project: Project) => Promise<Readonly<Record<string, unknown>>>;
  /** Commands of the agent reach other machines from within the isolation. Default false; MCP servers always do. */
  readonly commandNetwork?: boolean;
  /** The server was started so: under profiles that say so, commands run without isolation. Default false. */
  readonly allowUnisolated?: boolean;
  /** For what is shown of calls. Default: texts that look like keys. */
  readonly redact?: Redactor;
}

type Phase = "strategize" | "execute";

/** What only looks, and what keeps the plan and asks. */
const STRATEGIST_TOOLS = ["read_file", "glob", "grep", "update_plan", "ask_user"];

/** The coding agent as the one who does a plan's work: a session of its own for each phase, in the plan's sandbox. */
export class AgentPlanExecutor implements PlanExecutor {
  readonly #options: AgentPlanExecutorOptions;
  readonly #redact: Redactor;

  constructor(options: AgentPlanExecutorOptions) {
    this.#options = options;
    this.#redact = options.redact ?? createRedactor();
  }

  /** @throws PlanError and the errors of agent and models */
  async strategize(run: ExecutorRun): Promise<StrategyResult> {
    const host = { builtinTools: STRATEGIST_TOOLS, mcp: { servers: {}, inherit: false } };
    return this.#inSession(run, "strategize", host, ({ text, usage }, session) => {
      const entries = session.plan.map(({ content }) => pending(content));
      const rationale = text.trim();
      return { rationale, steps: entries.length > 0 ? entries : [pending(rationale)], usage };
    });
  }

  /** @throws PlanError and the errors of agent and models */
  async execute(run: ExecutorRun): Promise<ExecutionResult> {
    const { mcpServersFor } = this.#options;
    const servers = (await mcpServersFor?.(run.plan.project)) ?? {};
    // Nobody is there who could wait for a server that comes later, and tell the agent to try again.
    const host = { mcp: { servers, inherit: false, wait: "settled" as const } };
    return this.#inSession(run, "execute", host, ({ text, usage }) => ({ summary: text, usage }));
  }

  async #inSession<T>(
    run: ExecutorRun,
    phase: Phase,
    host: Pick<CreateSessionOptions, "builtinTools" | "mcp">,
    take: (result: TurnResult, session: CodingSession) => T,
  ): Promise<T> {
    const { plan, sandbox, signal } = run;
    const model = this.#modelOf(run, phase);
    const network = this.#options.commandNetwork ?? false;
    const agent = await this.#options.agentFor(plan.project);
    throwIfAborted(signal);
    const session = await agent.createSession({
      cwd: sandbox.path,
      model,
      mode: "safe",
      approvals: new PlanApprovalGateway(run, {
        allowUnisolated: this.#options.allowUnisolated ?? false,
        redact: this.#redact,
      }),
      operations: {
        wrapCommand: ({ file, args, cwd, purpose }) =>
          sandbox.wrap({ file, args, cwd, network: purpose === "mcp_server" || network }),
      },
      ...host,
    });
    try {
      return take(await this.#turn(run, { phase, agent, session, model }), session);
    } finally {
      await session.close();
    }
  }

  async #turn(
    run: ExecutorRun,
    about: {
      readonly phase: Phase;
      readonly agent: CodingAgent;
      readonly session: CodingSession;
      readonly model: string;
    },
  ): Promise<TurnResult> {
    const { phase, agent, session, model } = about;
    const { plan, signal } = run;
    const actor = { phase, attempt: plan.attempt, model, agent_session_id: session.id };
    await run.event({ event_type: "actor.invoked", data: actor });
    try {
      const result = await agent.runtime.runPrompt(session, [textBlock(this.#prompt(run, phase))], {
        signal,
        sink: new EventBridge(session.id, run, this.#redact),
        source: "facade",
        note: { phase, run: plan.attempt },
      });
      if (signal.aborted) throw abortError(signal);
      checkEnded(result, plan, session.id);
      const { text, usage } = result;
      const done = { ...actor, usage: { ...usage }, text_chars: text.length };
      await run.event({ event_type: "actor.completed", data: done });
      return result;
    } catch (error) {
      if (!signal.aborted) await run.event(this.#errored(error, actor));
      throw error;
    }
  }

  #prompt({ plan, sandbox }: ExecutorRun, phase: Phase): string {
    const isCutOff = sandbox.isolation !== "none" && this.#options.commandNetwork !== true;
    return phasePrompt(phase, plan, isCutOff);
  }

  #errored(error: unknown, actor: Parameters<ExecutorRun["event"]>[0]["data"]) {
    const { code, message } = AcumenError.isInstance(error)
      ? error
      : { code: "FACADE_INTERNAL_ERROR", message: "A fault of the program ended the turn." };
    const data = { ...actor, code, message: this.#redact(message) };
    return { event_type: "actor.errored", data };
  }

  /** @throws ConfigurationError */
  #modelOf({ plan }: ExecutorRun, phase: Phase): string {
    const { models } = this.#options;
    const chosen =
      phase === "strategize"
        ? (plan.models.strategy ?? models.strategy)
        : (plan.models.execution ?? models.execution);
    if (chosen !== undefined) return chosen;
    const field = phase === "strategize" ? "strategy_model" : "execution_model";
    throw new ConfigurationError(
      `No model is set for ${phase}. Choose one with \`acumen setup\`, or start with \`acumen serve --model ID\`, and retry the plan; or name one as ${field} when a plan is made.`,
      { details: { phase } },
    );
  }
}

function pending(content: string): PlanStep {
  return { content, status: "pending" };
}
