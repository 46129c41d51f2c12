import type { Conflict } from "../sandbox/change.ts";

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

/** Reads `merge-tree --write-tree -z`: the tree, the entries of conflicts by stage, then the messages. */
export function parseMergeOutcome(output: string): MergeOutcome {
  const fields = output.split("\0");
  const [tree = ""] = fields;
  const paths = new Map<string, Stages>();
  let at = 1;
  for (; fields[at] !== undefined && fields[at] !== ""; at += 1) addStage(paths, fields[at] ?? "");
  const kinds = kindsOf(fields, at + 1);
  const conflicts = [...paths].map(([path, { objects, modes }]): Conflict => {
    const [base = null, ours = null, theirs = null] = objects;
    return { path, kind: kinds.get(path) ?? kindOfStages(objects, modes), base, ours, theirs };
  });
  // Some conflicts, such as folders that were renamed in two ways, leave no entries.
  const others = [...kinds].flatMap(([path, kind]) =>
    paths.has(path) ? [] : [{ path, kind, base: null, ours: null, theirs: null }],
  );
  return { tree, conflicts: [...conflicts, ...others] };
}

function addStage(paths: Map<string, Stages>, entry: string): void {
  const [mode = "", object = "", rest = ""] = entry.split(" ", 3);
  const path = entry.slice(entry.indexOf("\t") + 1);
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
function kindsOf(fields: readonly string[], from: number): ReadonlyMap<string, Conflict["kind"]> {
  const kinds = new Map<string, Conflict["kind"]>();
  for (let at = from; /^\d+$/.test(fields[at] ?? "");) {
    const count = Number(fields[at]);
    const paths = fields.slice(at + 1, at + 1 + count);
    const type = fields[at + 1 + count] ?? "";
    at += count + 3;
    if (!type.startsWith("CONFLICT")) continue;
    const kind = KINDS.find(([pattern]) => pattern.test(type))?.[1] ?? "content";
    for (const path of paths) if (!kinds.has(path)) kinds.set(path, kind);
  }
  return kinds;
}
