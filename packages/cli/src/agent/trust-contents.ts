import { chosenServers, type TrustState, type WorkspaceTrust } from "@acumen/agent";
import type { Home } from "../settings/home.ts";
import { workspaceFolder } from "../settings/workspace-folder.ts";
import { wrap } from "../terminal/wrap.ts";

/** Of all files together: whoever reads more opens them. */
const MOST_LINES = 120;
const MOST_NAMES = 50;
const WIDTH = 80;
/** Files that decide what runs: shown first, so that others cannot push them out of sight. */
const FIRST: readonly string[] = [".acumen/workspace.json", ".acumen/config.json"];

interface ContentSources {
  readonly trust: WorkspaceTrust;
  readonly home: Pick<Home, "folder">;
}

/**
 * What a yes would let in: the files that are there, or what changed in them, and the MCP servers that they switch on. Empty for a
 * folder that brings nothing.
 * @throws AGENT_WORKSPACE_UNTRUSTABLE when the folder changed since it was looked at
 */
export async function contentLines(state: TrustState, sources: ContentSources): Promise<string[]> {
  const { path, digest } = state;
  const { trust, home } = sources;
  if ((await workspaceFolder(path, home)) === undefined) return [];
  const isChanged = state.state === "changed";
  // What cannot be read as a whole cannot be shown as a whole either.
  if (state.problem !== undefined) return isChanged ? differenceLines(state) : [];
  const what = isChanged ? differenceLines(state) : await fileLines(state, trust);
  const { names } = await chosenServers(trust, { cwd: path, digest });
  return [...what, ...(names.length === 0 ? [] : serversLines(names))];
}

/** Why the `workspace.json` of a folder would not count, with the remedy; undefined: it would, or there is none. */
export async function choiceFault(
  { path, digest }: Pick<TrustState, "digest" | "path">,
  { trust, home }: ContentSources,
): Promise<string | undefined> {
  if ((await workspaceFolder(path, home)) === undefined) return undefined;
  const { fault } = await chosenServers(trust, { cwd: path, digest });
  return fault === undefined ? undefined : `${fault} Mend it first; nothing of it counts.`;
}

function serversLines(names: readonly string[]): string[] {
  const more = names.length - MOST_NAMES;
  const shown = [...names.slice(0, MOST_NAMES), ...(more > 0 ? [`${more} more`] : [])];
  return wrap(`It switches on these MCP servers: ${shown.join(", ")}`, WIDTH);
}

async function fileLines({ path, digest }: TrustState, trust: WorkspaceTrust): Promise<string[]> {
  const files = await trust.contents(path, digest);
  if (files.length === 0) return [];
  const first = files.filter((file) => FIRST.includes(file.path)).toReversed();
  const others = files.filter((file) => !FIRST.includes(file.path));
  const lines = [...first, ...others].flatMap(({ path: file, text }) => [
    `  ${file}${text === undefined ? " (too large to show here, or no text)" : ""}`,
    ...linesOf(text ?? "").map((line) => `    ${line}`),
  ]);
  return ["Its .acumen folder holds:", ...cut(lines)];
}

function differenceLines({ difference = [] }: TrustState): string[] {
  if (difference.length === 0) return [];
  return [
    "Changed since it was trusted:",
    ...difference.flatMap(({ path, change, diff = "" }) => [
      `${change} ${path}`,
      ...linesOf(diff).map((line) => `  ${line}`),
    ]),
  ];
}

function linesOf(text: string): string[] {
  return text.split("\n").filter((line) => line !== "");
}

function cut(lines: readonly string[]): string[] {
  const more = lines.length - MOST_LINES;
  return more > 0 ? [...lines.slice(0, MOST_LINES), `  [… ${more} more lines]`] : [...lines];
}
