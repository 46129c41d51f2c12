import type { McpServerStatus, McpState } from "@acumen/agent";
import { count } from "../terminal/count.ts";
import { printable } from "../terminal/printable.ts";
import type { Colours, Terminal } from "../terminal/terminal.ts";
import { wrap } from "../terminal/wrap.ts";
import type { DefinitionNote } from "./probe.ts";
import { shortReason } from "./short-reason.ts";

type Look = Pick<Terminal, "colours" | "width">;

const STATE_WIDTH = 10;
const TRANSPORT_WIDTH = 5;
const TOOLS_WIDTH = 9;
const GAP = "  ";
const MEND = "Mend it there; nothing of that file counts until then.";
/** Of tools that are left out for one reason. */
const MOST_NAMES = 5;
/** What the columns leave of a line for the name; a longer one has a line of its own. */
const OTHERS = STATE_WIDTH + TRANSPORT_WIDTH + TOOLS_WIDTH + 3 * GAP.length;

/** Servers, a line each, with what there is to say about them below. */
export function statusLines(servers: readonly McpServerStatus[], look: Look): string[] {
  const longest = Math.max(0, ...servers.map(({ server }) => printable(server).length));
  const width = Math.min(longest, look.width - OTHERS);
  return servers.flatMap((status) => [...headOf(status, width, look), ...remarksOf(status, look)]);
}

function headOf(
  { server, state, transport, tool_count: tools }: McpServerStatus,
  width: number,
  { colours }: Look,
): string[] {
  const name = printable(server);
  const fits = name.length <= width;
  const cells = [
    colours.bold(fits ? name.padEnd(width) : " ".repeat(width)),
    painted(state, colours)(state.padEnd(STATE_WIDTH)),
    (transport ?? "-").padEnd(TRANSPORT_WIDTH),
    state === "connected" || tools > 0 ? count(tools, "tool") : "",
  ];
  return [...(fits ? [] : [colours.bold(name)]), cells.join(GAP).trimEnd()];
}

/** Why it is in this state, which names were taken, and which tools are left out. */
function remarksOf(
  { reason, conflicts, quarantined }: McpServerStatus,
  { colours, width }: Look,
): string[] {
  const said = (text: string): string[] => wrap(printable(text), width, GAP);
  return [
    ...(reason === undefined ? [] : said(shortReason(reason))),
    // What was rejected stands in the reason.
    ...renamedTexts(conflicts.filter(({ resolution }) => resolution !== "rejected")).flatMap(said),
    ...leftOutTexts(quarantined).flatMap(said),
  ].map(colours.dim);
}

/** Which names they have now stands in the list of tools. */
function renamedTexts(conflicts: McpServerStatus["conflicts"]): string[] {
  const [first] = conflicts;
  if (first === undefined) return [];
  if (conflicts.length === 1) {
    const { tool, owner, resolution } = first;
    return [`The name ${tool} is taken (${owner}); the tool is called ${resolution}.`];
  }
  const owners = [...new Set(conflicts.map(({ owner }) => owner))].join(", ");
  return [
    `${conflicts.length} names are taken (${owners}); those tools have longer names, such as ${first.resolution}.`,
  ];
}

/** One for each reason. */
function leftOutTexts(tools: McpServerStatus["quarantined"]): string[] {
  const byReason = new Map<string, string[]>();
  for (const { tool, reason } of tools) {
    const names = byReason.get(reason) ?? [];
    if (names.length === 0) byReason.set(reason, names);
    names.push(tool);
  }
  return [...byReason].map(([reason, names]) => {
    const more = names.length - MOST_NAMES;
    const shown = [...names.slice(0, MOST_NAMES), ...(more > 0 ? [`${more} more`] : [])];
    return `${shown.join(", ")} ${names.length === 1 ? "is" : "are"} left out: ${reason}`;
  });
}

function painted(state: McpState, colours: Colours): (text: string) => string {
  if (state === "connected") return colours.green;
  if (state === "error" || state === "missing") return colours.red;
  return colours.yellow;
}

/** What definitions say in vain. @param server of this one alone */
export function noteLines(
  notes: readonly DefinitionNote[],
  { colours, width }: Look,
  server?: string,
): string[] {
  return notes
    .filter((note) => server === undefined || note.server === server)
    .flatMap((note) => wrap(`note: ${printable(`${note.server}: ${note.text}`)}`, width))
    .map(colours.yellow);
}

/** What of the files cannot be read. */
export function problemLines(problems: readonly string[], { colours, width }: Look): string[] {
  return problems
    .flatMap((problem) => wrap(`wrong: ${printable(problem)} ${mendText(problem)}`, width))
    .map(colours.red);
}

/** One of them, said while nobody asked. */
export function problemNotice(problem: string, { colours, width }: Look): string[] {
  return wrap(`MCP servers: ${printable(problem)}`, width).map(colours.yellow);
}

/** One that is about a running session says itself what counts until then. */
function mendText(problem: string): string {
  return problem.includes("Until it is mended") ? "Mend it there." : MEND;
}

/** Where it is written which servers there are. */
export function fileLines(
  files: { readonly machine: string; readonly workspace: string },
  { colours, width }: Look,
): string[] {
  return [
    ...wrap(`machine: ${printable(files.machine)}`, width).map(colours.dim),
    ...wrap(`workspace: ${printable(files.workspace)}`, width).map(colours.dim),
  ];
}
