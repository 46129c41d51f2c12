import type { McpServerStatus } from "./mcp-status.ts";

/** A tool that a model saw and that is not given to it. Names are safe to show. */
export interface AbsentTool {
  readonly exposedName: string;
  /** Raw. */
  readonly tool: string;
  readonly server: string;
  /** What it is called now. Undefined: it is not given to the model. */
  readonly nowCalled?: string;
}

/** Why a tool is not there, and what to do, for the model. */
export function absentText(
  { exposedName, tool, server, nowCalled }: AbsentTool,
  status: McpServerStatus | undefined,
): string {
  const head = `${exposedName} of the MCP server ${server} cannot be called now:`;
  if (status === undefined) return `${head} the server is not configured any more. Do without it.`;
  if (nowCalled !== undefined) {
    return nowCalled === exposedName
      ? `${exposedName} of the MCP server ${server} is there again: call it once more.`
      : `${head} it is called ${nowCalled} by now.`;
  }
  const leftOut = status.quarantined.find((one) => one.tool === tool);
  if (status.state === "connected") {
    return leftOut === undefined
      ? `${head} the server no longer offers it.`
      : `${head} it is left out. ${leftOut.reason}`;
  }
  const reason = status.reason === undefined ? "" : ` ${status.reason}`;
  const { says, remedy } = WORDS[status.state];
  return `${head} the server ${says}.${reason} ${remedy(server)}`;
}

const OR_SAY = "Do without it, or say that";
const needed = (): string => `${OR_SAY} it is needed.`;

const WORDS: Readonly<
  Record<
    Exclude<McpServerStatus["state"], "connected">,
    { readonly says: string; readonly remedy: (server: string) => string }
  >
> = {
  connecting: {
    says: "is connecting",
    remedy: () => "Go on with something else, and try again later.",
  },
  paused: {
    says: "is paused",
    remedy: (server) => `${OR_SAY} \`/mcp resume ${server}\` brings it back.`,
  },
  disabled: { says: "is disabled", remedy: needed },
  missing: { says: "is defined nowhere", remedy: needed },
  error: {
    says: "does not work",
    remedy: (server) => `${OR_SAY} \`/mcp retry ${server}\` connects anew.`,
  },
};
