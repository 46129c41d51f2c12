import { type Clock, type Logger, silentLogger, systemClock } from "@acumen/core";
import type { Model } from "@acumen/models";
import { ApprovalGate } from "../approval/approval-gate.ts";
import type { ApprovalGateway, QuestionGateway } from "../approval/approval-gateway.ts";
import { type PermissionRuleSet, parsePermissionRules } from "../approval/permission-rule.ts";
import { RememberedDecisions } from "../approval/remembered-decisions.ts";
import type { NamedTool } from "../mcp/exposed-tools.ts";
import { McpRuntimeManager } from "../mcp/mcp-runtime-manager.ts";
import { childEnvironment } from "../process/child-environment.ts";
import { environmentFacts } from "../prompt/environment-facts.ts";
import { readInstructions } from "../prompt/instruction-files.ts";
import { createRedactor } from "../redaction/redactor.ts";
import { EventLog, OUTSIDE_TURNS } from "../session/event-log.ts";
import type { OpenedSession } from "../session/session-store.ts";
import type { AgentSettings } from "../settings/agent-settings.ts";
import type { SkillShelf } from "../skills/skill-shelf.ts";
import { createBuiltinTools } from "../tools/builtin-tools.ts";
import { MAX_TOOLS, ToolRegistry } from "../tools/tool-registry.ts";
import type { ToolSource } from "../tools/tool-source.ts";
import { TrustNote, unreadNames } from "../trust/trust-note.ts";
import { WorkspaceTrust } from "../trust/workspace-trust.ts";
import { redactEvent } from "../turn/redact-event.ts";
import { PersonTime } from "../turn/work-clock.ts";
import { ReadLedger } from "../workspace/read-ledger.ts";
import { openWorkspace, protectedRule, type Workspace } from "../workspace/workspace.ts";
import type { CodingAgentOptions, SessionHost } from "./agent-options.ts";
import { SessionModel } from "./session-model.ts";
import type { SessionParts } from "./session-parts.ts";

/** What a session needs before it is stored. */
export interface Ground {
  readonly workspace: Workspace;
  readonly trusted: boolean;
  readonly trustNote: TrustNote;
  readonly settings: AgentSettings;
  readonly rules: PermissionRuleSet;
  readonly sources: readonly ToolSource[];
}

interface McpGround extends Pick<SessionParts, "opened" | "log" | "workspace" | "redact"> {
  readonly host: SessionHost;
  readonly builtins: { readonly tools: readonly unknown[] };
  readonly sources: readonly ToolSource[];
}

/** Puts sessions together from what their agent and their host bring. */
export class SessionAssembly {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly #options: CodingAgentOptions;
  readonly #shelf: SkillShelf;

  constructor(options: CodingAgentOptions, shelf: SkillShelf) {
    this.#options = options;
    this.#shelf = shelf;
    this.clock = options.clock ?? systemClock;
    this.logger = options.logger ?? silentLogger;
  }

  /** @throws AGENT_WORKSPACE_INVALID, AGENT_WORKSPACE_UNTRUSTABLE, AGENT_RULE_INVALID, and what the host throws */
  async prepare(
    folders: { readonly cwd: string; readonly additionalDirectories: readonly string[] },
    host: SessionHost,
  ): Promise<Ground> {
    const { home, environment, trustOnce = false, settingsFor } = this.#options;
    const workspace = await openWorkspace({ ...folders, home });
    const trust = new WorkspaceTrust({ home, environment, clock: this.clock, once: trustOnce });
    const { trusted, digest } = await trust.admit(workspace.cwd);
    const facts = { cwd: workspace.cwd, trusted, digest };
    const settings = await settingsFor(facts);
    const rules = parsePermissionRules(settings.permissions);
    const hint = host.trustHint;
    const unread = trusted || hint === undefined ? [] : await unreadNames(workspace.cwd, home);
    const sources = (await host.toolSources?.(facts)) ?? [];
    return {
      workspace,
      trusted,
      trustNote: new TrustNote({ unread, hint }),
      settings,
      rules,
      sources,
    };
  }

  async assemble(
    opened: OpenedSession,
    ground: Ground,
    host: SessionHost,
    model?: Model,
  ): Promise<SessionParts> {
    const { environment, secrets = [], resolveModel } = this.#options;
    const { rules, sources, ...kept } = ground;
    const { workspace, settings } = kept;
    const { clock, logger } = this;
    const people = new PersonTime();
    const redact = createRedactor(secrets);
    const remembered = new RememberedDecisions({
      decisions: opened.meta.remembered,
      persist: (decisions) => opened.updateMeta({ remembered: decisions }),
      clock,
    });
    const log = new EventLog(opened, { clock, logger });
    const reads = new ReadLedger();
    for (const event of opened.events) reads.replay(event);
    log.subscribe((event) => {
      if (event.type === "FILES_RESTORED") reads.replay(event);
    });
    const gate = new ApprovalGate({
      rules,
      remembered,
      protectedRule: (path) => protectedRule(workspace, path),
      workspace,
      redact,
      ...(host.approvals !== undefined && { gateway: timedApprovals(host.approvals, people) }),
      ...(host.rejectedHint !== undefined && { rejectedHint: host.rejectedHint }),
    });
    const builtins = createBuiltinTools(workspace, {
      environment: childEnvironment(environment, settings.envPass),
      redact,
      reads,
      deniedRead: gate.deniedRead,
      outputFolder: () => opened.outputFolder(),
      beforeWrite: (image) => opened.saveBeforeImage(image),
      ...(host.questions !== undefined && { questions: timedQuestions(host.questions, people) }),
      ...(host.operations !== undefined && { operations: host.operations }),
    });
    const mcp = this.#mcpFor({ host, opened, log, workspace, redact, builtins, sources });
    const registry = new ToolRegistry({
      builtins: builtins.tools.filter(({ name }) => host.builtinTools?.includes(name) ?? true),
      sources: mcp === undefined ? sources : [...sources, mcp],
    });
    const [facts, { files, problems }] = await Promise.all([
      environmentFacts({
        cwd: workspace.cwd,
        additionalDirectories: workspace.directories,
        environment,
        clock,
      }),
      readInstructions(workspace.cwd),
    ]);
    for (const { path, reason } of problems) {
      logger.warn("instructions of the workspace were not read whole", { path, reason });
    }
    return {
      ...kept,
      opened,
      log,
      model: new SessionModel(opened.meta.model, resolveModel, model),
      registry,
      ...(mcp !== undefined && { mcp }),
      gate,
      remembered,
      people,
      reads,
      ...(host.operations?.files !== undefined && { fileOperations: host.operations.files }),
      prompt: { environment: facts, instructions: files },
      skills: this.#shelf,
      redact,
      clock,
      logger,
      closeTools: () => this.#closeTools([() => builtins.close(), () => registry.close()]),
    };
  }

  /** Starts nothing. */
  #mcpFor({
    host,
    opened,
    log,
    workspace,
    redact,
    builtins,
    sources,
  }: McpGround): McpRuntimeManager | undefined {
    const { mcp, environment } = this.#options;
    const { cwd, directories } = workspace;
    if (mcp === undefined) return undefined;
    return new McpRuntimeManager({
      source: mcp.sourceFor({ cwd }, host.mcp),
      cwd,
      roots: [cwd, ...directories],
      environment,
      redact,
      outputFolder: () => opened.outputFolder(),
      room: roomBeside(builtins.tools, sources),
      seen: toolsOfServers(opened.events),
      ...(host.mcp?.wait !== undefined && { wait: host.mcp.wait }),
      ...(host.operations?.wrapCommand !== undefined && { wrap: host.operations.wrapCommand }),
      report: (payload) =>
        log.record(redactEvent({ type: "MCP_STATUS", payload }, redact), OUTSIDE_TURNS),
      clock: this.clock,
      logger: this.logger,
    });
  }

  async #closeTools(closers: readonly (() => Promise<void>)[]): Promise<void> {
    const results = await Promise.allSettled(closers.map((close) => close()));
    for (const result of results) {
      if (result.status === "rejected") {
        this.logger.warn("tools of a session could not be closed", {
          reason: String(result.reason),
        });
      }
    }
  }
}

/** How many tools more a model can be given: others come first. */
function roomBeside(builtins: readonly unknown[], sources: readonly ToolSource[]): () => number {
  return () =>
    sources.reduce((room, source) => room - source.tools().length, MAX_TOOLS - builtins.length);
}

/** By the names that the model called them by. */
function toolsOfServers(events: OpenedSession["events"]): Map<string, NamedTool> {
  return new Map(
    events.flatMap(({ type, payload }) =>
      type === "TOOL_CALL" && payload.server !== undefined
        ? [[payload.exposed_name, { server: payload.server, raw: payload.tool }]]
        : [],
    ),
  );
}

/** The time that a person takes is none of the turn's. */
function timedApprovals(gateway: ApprovalGateway, people: PersonTime): ApprovalGateway {
  return { request: (request, signal) => people.waitFor(() => gateway.request(request, signal)) };
}

function timedQuestions(gateway: QuestionGateway, people: PersonTime): QuestionGateway {
  return { ask: (question, signal) => people.waitFor(() => gateway.ask(question, signal)) };
}
