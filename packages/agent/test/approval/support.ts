import {
  type ApprovalGateway,
  ApprovalGate,
  type ApprovalGateOptions,
  type ApprovalRequest,
  type CallPreview,
  DEFAULT_SETTINGS,
  type GatedCall,
  type GateDecision,
  parsePermissionRules,
  type PermissionRules,
  type RememberedDecision,
  RememberedDecisions,
  type SessionMode,
  type ToolOrigin,
} from "../../src/index.ts";

export const CWD = "/home/you/project";

interface CallParts {
  readonly tool: string;
  readonly origin?: ToolOrigin;
  readonly preview: Partial<CallPreview> & Pick<CallPreview, "risk" | "subject">;
  readonly input?: unknown;
  readonly kind?: GatedCall["kind"];
}

export function callOf({
  tool,
  origin,
  preview,
  input = {},
  kind = "other",
}: CallParts): GatedCall {
  return {
    sessionId: "s",
    turnId: "t",
    callId: "c",
    tool,
    exposedName: tool,
    origin: origin ?? { type: "builtin" },
    kind,
    input,
    preview: { title: tool, locations: [], diff: [], ...preview },
  };
}

export function bashCall(command: string, cwd = CWD): GatedCall {
  return callOf({
    tool: "bash",
    kind: "execute",
    input: { command },
    preview: { risk: "execute", subject: { type: "command", command, cwd } },
  });
}

export function fileCall(tool: string, access: "read" | "write", ...paths: string[]): GatedCall {
  return callOf({
    tool,
    kind: access === "write" ? "edit" : "read",
    preview: { risk: access, subject: { type: "files", access, paths } },
  });
}

export function mcpCall(
  name: string,
  { server = "github", identity = "hash-1", trustedReadOnly = false } = {},
): GatedCall {
  return callOf({
    tool: name,
    origin: { type: "mcp", server, identity, trustedReadOnly },
    preview: { risk: trustedReadOnly ? "read" : "network", subject: { type: "none" } },
  });
}

/** A gateway that answers by a list and keeps what it was asked; `never` waits for the abort and does not heed it. */
export class ScriptedGateway implements ApprovalGateway {
  readonly requests: ApprovalRequest[] = [];
  readonly #answers: unknown[];

  constructor(...answers: unknown[]) {
    this.#answers = answers;
  }

  request(request: ApprovalRequest): ReturnType<ApprovalGateway["request"]> {
    this.requests.push(request);
    const answer = this.#answers.shift();
    if (answer === "never") return new Promise(() => undefined);
    return (
      answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer)
    ) as ReturnType<ApprovalGateway["request"]>;
  }
}

interface Fixture {
  readonly gate: ApprovalGate;
  readonly remembered: RememberedDecisions;
  /** Lists that were made durable, in order. */
  readonly persisted: RememberedDecision[][];
  /** Options of each question that was announced. */
  readonly announced: (readonly string[])[];
  decide(call: GatedCall, mode?: SessionMode, signal?: AbortSignal): Promise<GateDecision>;
}

export function gateWith(
  options: Partial<Omit<ApprovalGateOptions, "rules" | "remembered">> & {
    readonly rules?: Partial<PermissionRules>;
    readonly decisions?: readonly RememberedDecision[];
  } = {},
): Fixture {
  const { rules, decisions = [], ...rest } = options;
  const persisted: RememberedDecision[][] = [];
  const announced: (readonly string[])[] = [];
  const remembered = new RememberedDecisions({
    decisions,
    persist: (list) => Promise.resolve(persisted.push(list)),
  });
  const gate = new ApprovalGate({
    rules: parsePermissionRules({ ...DEFAULT_SETTINGS.permissions, ...rules }),
    remembered,
    protectedRule: (path) => (path.endsWith("/AGENTS.md") ? "AGENTS.md" : undefined),
    workspace: { cwd: CWD, directories: ["/home/you/lib"] },
    redact: (text) => text,
    ...rest,
  });
  return {
    gate,
    remembered,
    persisted,
    announced,
    decide: (call, mode = "safe", signal = new AbortController().signal) =>
      gate.decide(call, {
        mode,
        signal,
        requested: (asked) => Promise.resolve(void announced.push(asked)),
      }),
  };
}
