import type { Conflict } from "../sandbox/change.ts";
import { shownName } from "./path-text.ts";

export interface MergeOutcome {
  /** Of the merged files; with conflicts it holds conflict markers. */
  readonly tree: string;
  readonly conflicts: readonly Conflict[];
}

interface Stages {
  readonly objects: (string | null)[];
  readonly modes: (string | null)[];
}

const KINDS: readonly (readonly [RegExp, Conflict["kind"]])[] = [
  [/submodule/i, "submodule"],
  [/binary/i, "binary"],
  [/rename/i, "rename"],
  [/modify\/delete/i, "delete_modify"],
  [/mode|distinct (?:types|modes)/i, "mode"],
];

/**
 * Reads `merge-tree --write-tree -z`: the tree, the entries of conflicts by stage, then the messages.
 * @param sides how the two sides were called: where a file and a folder want the same name, git gives the file another one with it
 */
export function parseMergeOutcome(output: string, sides: readonly string[] = []): MergeOutcome {
  const fields = output.split("\0");
  const [tree = ""] = fields;
  const paths = new Map<string, Stages>();
  let at = 1;
  const real = realNames(sides);
  for (; fields[at] !== undefined && fields[at] !== ""; at += 1)
    addStage(paths, fields[at] ?? "", real);
  const kinds = kindsOf(fields, at + 1, real);
  const conflicts = [...paths].map(([path, { objects, modes }]): Conflict => {
    const [base = null, ours = null, theirs = null] = objects;
    return {
      path: shownName(path),
      kind: kinds.get(path) ?? kindOfStages(objects, modes),
      base,
      ours,
      theirs,
    };
  });
  // Some conflicts, such as folders that were renamed in two ways, leave no entries.
  const others = [...kinds].flatMap(([path, kind]) =>
    paths.has(path) ? [] : [{ path: shownName(path), kind, base: null, ours: null, theirs: null }],
  );
  return { tree, conflicts: [...conflicts, ...others] };
}

type RealName = (path: string) => string;

function realNames(sides: readonly string[]): RealName {
  const names = new Set(sides.map((side) => side.replaceAll("/", "_")));
  return (path) => {
    const at = path.lastIndexOf("~");
    const side = path.slice(at + 1);
    const isGiven = names.has(side) || names.has(side.replace(/_\d+$/, ""));
    return at > 0 && isGiven ? path.slice(0, at) : path;
  };
}

function addStage(paths: Map<string, Stages>, entry: string, real: RealName): void {
  const [mode = "", object = "", rest = ""] = entry.split(" ", 3);
  const path = real(entry.slice(entry.indexOf("\t") + 1));
  const stage = Number(rest.split("\t", 1)[0]) - 1;
  const known = paths.get(path) ?? { objects: [null, null, null], modes: [null, null, null] };
  known.objects[stage] = object;
  known.modes[stage] = mode;
  paths.set(path, known);
}

function kindOfStages(
  [base, ours, theirs]: Stages["objects"],
  modes: Stages["modes"],
): Conflict["kind"] {
  if (modes.includes("160000")) return "submodule";
  return base !== null && (ours === null || theirs === null) ? "delete_modify" : "content";
}

/** Each message: how many paths, the paths, what kind, and a text. */
function kindsOf(
  fields: readonly string[],
  from: number,
  real: RealName,
): ReadonlyMap<string, Conflict["kind"]> {
  const kinds = new Map<string, Conflict["kind"]>();
  for (let at = from; /^\d+$/.test(fields[at] ?? "");) {
    const count = Number(fields[at]);
    const paths = fields.slice(at + 1, at + 1 + count).map(real);
    const type = fields[at + 1 + count] ?? "";
    at += count + 3;
    if (!type.startsWith("CONFLICT")) continue;
    const kind = KINDS.find(([pattern]) => pattern.test(type))?.[1] ?? "content";
    for (const path of paths) if (!kinds.has(path)) kinds.set(path, kind);
  }
  return kinds;
}
