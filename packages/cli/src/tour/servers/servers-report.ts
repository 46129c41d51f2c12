import { count } from "../../terminal/count.ts";
import { wrap } from "../../terminal/wrap.ts";
import type { ReportStyle } from "../report.ts";
import type { ServersResult, ServerState } from "./servers-result.ts";

const INDENT = "  ";

/** What is true in this act and what is played. */
export function serversIntroLines({ width }: ReportStyle): string[] {
  return paragraph(
    width,
    "ace-mcp is an MCP server like any other: the coding agent starts it as a process of its own and uses its tools next to " +
      "its own. The model is played from a script again; what the server answers is not.",
  );
}

export function stateLines(
  { width, colours }: ReportStyle,
  label: string,
  states: readonly ServerState[],
): string[] {
  return states.flatMap(({ server, state, tool_count: tools }) =>
    paragraph(width, `${label}: ${server} ${state}, ${count(tools, "tool")}.`).map(colours.cyan),
  );
}

export function callLines({ width }: ReportStyle, result: ServersResult): string[] {
  const { calls, refused, approved } = result;
  return paragraph(
    width,
    `${count(calls.server, "call")} of the server and ${calls.own} of built-in tools were finished, ${refused} met the paused ` +
      `server. Asked for: ${approved}.`,
  );
}

function paragraph(width: number, text: string): string[] {
  return wrap(text, width, INDENT);
}
