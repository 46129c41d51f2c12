import type { Change } from "../sandbox/change.ts";

const NO_OBJECT = /^0+$/;

export interface RawChange extends Change {
  readonly oldObject: string | null;
  readonly newObject: string | null;
}

/**
 * Reads `diff-tree -z --raw --numstat -M`: first every path with its modes, then every path with its lines.
 * @param output as {@link pathsText} gives it
 */
export function parseChanges(output: string): readonly RawChange[] {
  const fields = output.split("\0");
  const raws: Omit<RawChange, "insertions" | "deletions" | "binary">[] = [];
  const lines = new Map<string, readonly [string, string]>();
  let at = 0;
  const next = (): string => fields[at++] ?? "";
  while (at < fields.length) {
    const field = next();
    if (field.startsWith(":")) raws.push(rawOf(field, next));
    else if (field.includes("\t")) {
      const [added = "-", deleted = "-", path = ""] = splitOnce(field);
      // A rename has its two paths in fields of their own.
      const name = path === "" ? (next(), next()) : path;
      lines.set(name, [added, deleted]);
    }
  }
  return raws.map((raw) => {
    const [added, deleted] = lines.get(raw.path) ?? ["0", "0"];
    const binary = added === "-";
    return {
      ...raw,
      binary,
      insertions: binary ? null : Number(added),
      deletions: binary ? null : Number(deleted),
    };
  });
}

function splitOnce(field: string): readonly string[] {
  const [added = "", deleted = ""] = field.split("\t", 2);
  return [added, deleted, field.slice(added.length + deleted.length + 2)];
}

function rawOf(
  field: string,
  next: () => string,
): Omit<RawChange, "insertions" | "deletions" | "binary"> {
  const [oldMode = "", newMode = "", oldId = "", newId = "", status = ""] = field
    .slice(1)
    .split(" ");
  const first = next();
  const isRename = status.startsWith("R") || status.startsWith("C");
  const path = isRename ? next() : first;
  const hasSame = oldId === newId && oldMode !== newMode;
  return {
    path,
    old_path: isRename ? first : null,
    op: opOf(status, hasSame),
    old_mode: modeOf(oldMode),
    new_mode: modeOf(newMode),
    oldObject: NO_OBJECT.test(oldId) ? null : oldId,
    newObject: NO_OBJECT.test(newId) ? null : newId,
    note: null,
  };
}

function opOf(status: string, onlyMode: boolean): Change["op"] {
  if (status.startsWith("A") || status.startsWith("C")) return "add";
  if (status.startsWith("D")) return "delete";
  if (status.startsWith("R")) return "rename";
  return onlyMode ? "mode" : "modify";
}

function modeOf(mode: string): string | null {
  return mode === "000000" ? null : mode;
}
