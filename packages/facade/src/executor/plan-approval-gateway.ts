import type { ApprovalAnswer, ApprovalGateway, ApprovalRequest, Redactor } from "@acumen/agent";
import { createHash } from "node:crypto";
import { isAbsolute, relative, sep } from "node:path";
import type { ExecutorRun } from "../plans/plan-executor.ts";
import { PROFILES } from "../plans/profile.ts";
import { callName, toolName } from "./tool-name.ts";

/** What `approval.respond` knows. */
const ANSWERS = ["allow_once", "allow_always", "reject_once"] as const;
/** An approver must see the whole of a call; a longer one is none to approve. */
const MAX_SHOWN_CHARS = 16_000;

/**
 * Decides calls that neither a rule nor a remembered answer decided: what changes or reads files of the sandbox runs, because it is
 * looked at before it is applied; commands and tools of MCP servers run where they cannot reach anything else, or where the profile and
 * the server say that they may; everything else waits for somebody.
 */
export class PlanApprovalGateway implements ApprovalGateway {
  readonly #run: ExecutorRun;
  readonly #allowUnisolated: boolean;
  readonly #redact: Redactor;

  constructor(
    run: ExecutorRun,
    { allowUnisolated, redact }: { readonly allowUnisolated: boolean; readonly redact: Redactor },
  ) {
    this.#run = run;
    this.#allowUnisolated = allowUnisolated;
    this.#redact = redact;
  }

  async request(request: ApprovalRequest): Promise<ApprovalAnswer> {
    if (this.#runsByItself(request)) return "allow_once";
    const { command, input } = request;
    if (input.length > MAX_SHOWN_CHARS || (command?.length ?? 0) > MAX_SHOWN_CHARS) {
      return "reject_once";
    }
    const { sessionId, callId, tool, origin, title, paths, reason } = request;
    return this.#run.approve({
      call_id: callName(sessionId, callId),
      tool: toolName(tool, origin.type === "mcp" ? origin.server : undefined),
      title: this.#redact(title),
      command: command === undefined ? null : this.#redact(command),
      paths,
      input: this.#redact(input),
      reason,
      options: ANSWERS.filter((answer) => request.options.includes(answer)),
      remember_as: this.#rememberedAs(request),
    });
  }

  /**
   * A retry works in another copy and another session, so that what was allowed is known by what it is there, too: a tool of a server as a
   * whole, any other call by all that goes into it. What was allowed within an isolation is not allowed without it.
   */
  #rememberedAs({ origin, tool, command, cwd, background, input }: ApprovalRequest): string {
    const { path, isolation } = this.#run.sandbox;
    const call =
      origin.type === "mcp"
        ? [origin.server, origin.identity]
        : command === undefined
          ? [input]
          : [command, cwd === undefined ? "" : relative(path, cwd), background ?? false];
    const text = JSON.stringify([isolation, origin.type, tool, ...call]);
    return createHash("sha256").update(text).digest("hex");
  }

  #runsByItself(request: ApprovalRequest): boolean {
    const { origin, risk, paths } = request;
    const isOfFiles = origin.type === "builtin" && (risk === "read" || risk === "write");
    if (isOfFiles) return paths.every((path) => this.#isInside(path));
    // A rule asks for this call each time: that is no matter of isolation.
    if (!request.options.includes("reject_always")) return false;
    return this.#runsCommands();
  }

  #runsCommands(): boolean {
    const { sandbox, plan } = this.#run;
    if (sandbox.isolation !== "none") return true;
    return this.#allowUnisolated && PROFILES[plan.profile.name].runsUnisolated;
  }

  #isInside(path: string): boolean {
    const way = relative(this.#run.sandbox.path, path);
    return way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
  }
}
