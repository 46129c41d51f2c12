import type { McpServerStatus } from "@acumen/agent";
import { printable } from "../terminal/printable.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { wrap } from "../terminal/wrap.ts";
import type { ProbedTool } from "./probe.ts";
import { statusLines } from "./status-lines.ts";

const MOST_TOOLS = 40;

/** One server with its tools. */
export function serverReport(
  status: McpServerStatus,
  tools: readonly ProbedTool[],
  look: Pick<Terminal, "colours" | "width">,
): string[] {
  const names = tools.map(({ name, exposed_name: exposed }) =>
    name === exposed ? printable(name) : `${printable(name)} (as ${exposed})`,
  );
  const more = names.length - MOST_TOOLS;
  const list = [...names.slice(0, MOST_TOOLS), ...(more > 0 ? [`… ${more} more`] : [])];
  return [
    ...statusLines([status], look),
    ...(names.length === 0 ? [] : wrap(`tools: ${list.join(", ")}`, look.width, "  ")),
  ];
}
