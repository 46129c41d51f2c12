import type { McpExposedTool } from "./exposed-tools.ts";

/** What of its servers' tools a model can be given. */
export interface ToolAllowance {
  readonly given: readonly McpExposedTool[];
  readonly byServer: ReadonlyMap<string, readonly McpExposedTool[]>;
  /** By server, in the order of rank: how many of its tools are left out, of how many, and whose come first. */
  readonly short: ReadonlyMap<string, Shortage>;
}

export interface Shortage {
  readonly leftOut: ReadonlySet<McpExposedTool>;
  readonly of: number;
  /** Servers whose tools come before its own. */
  readonly behind: readonly string[];
}

const NAMED = 5;

/** The first ones are given, as many as there is room for. */
export function allowTools(
  servers: readonly (readonly [server: string, tools: readonly McpExposedTool[]])[],
  room: number,
): ToolAllowance {
  const given: McpExposedTool[] = [];
  const byServer = new Map<string, readonly McpExposedTool[]>();
  const short = new Map<string, Shortage>();
  const behind: string[] = [];
  for (const [server, tools] of servers) {
    const some = tools.slice(0, Math.max(0, room - given.length));
    given.push(...some);
    byServer.set(server, some);
    if (some.length < tools.length) {
      const leftOut = new Set(tools.slice(some.length));
      short.set(server, { leftOut, of: tools.length, behind: [...behind] });
    }
    if (some.length > 0) behind.push(server);
  }
  return { given, byServer, short };
}

/** Of one tool. */
export function shortReason(room: number): string {
  return `A model can be given ${Math.max(0, room)} tools of servers.`;
}

/** Of a server. */
export function shortageText({ leftOut, of, behind }: Shortage, room: number): string {
  const named = behind.slice(0, NAMED).join(", ");
  const more = behind.length > NAMED ? ", …" : "";
  const first = behind.length === 0 ? "" : ` Those of ${named}${more} come first.`;
  return `${leftOut.size} of its ${of} tools are left out: ${shortReason(room)}${first} Choose fewer with "enabledTools" in the definitions, or pause or disable servers.`;
}
