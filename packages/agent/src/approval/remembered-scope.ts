import { createHash } from "node:crypto";
import { sep } from "node:path";
import { visibleLine } from "../text/visible-text.ts";
import type { CommandView } from "./command-view.ts";
import { type GatedCall, type GateWorkspace, isNamedFolder } from "./gated-call.ts";
import { readOnlyForm } from "./read-only-form.ts";

export interface RememberedScope {
  /**
   * Canonical: equal scopes are equal strings. A JSON array, so that no two kinds of scope can be mistaken. It is stored, so that a
   * command stands there as a SHA-256: a command may hold a secret.
   */
  readonly scope: string;
  /** The same in words, safe to show and to store. */
  readonly description: string;
}

/**
 * What "always" covers for a call, from narrow to wide; the last one is what a new decision is remembered with. Empty: the call is
 * of a kind that nothing can be remembered for.
 * @param redact takes secrets out of the words
 */
export function rememberedScopes(
  call: GatedCall,
  view: CommandView | undefined,
  workspace: GateWorkspace,
  redact: (text: string) => string,
): readonly RememberedScope[] {
  const { origin, tool, preview } = call;
  const scopeOf = (parts: readonly string[], words: string): RememberedScope => ({
    scope: JSON.stringify(parts),
    description: visibleLine(redact(words)),
  });
  if (origin.type === "mcp") {
    return [
      scopeOf(
        ["mcp", origin.server, tool, origin.identity],
        `the tool ${tool} of the server ${origin.server} as it is now`,
      ),
    ];
  }
  const { subject } = preview;
  if (subject.type === "command") {
    const { command, cwd } = subject;
    if (subject.background === true) {
      const words = `exactly the command ${command} in ${cwd}, started in the background`;
      return [scopeOf(["background", digestOf(command, cwd)], words)];
    }
    const exact = scopeOf(
      ["command", digestOf(command, cwd)],
      `exactly the command ${command} in ${cwd}`,
    );
    const words = isNamedFolder(cwd, workspace) ? view?.words : undefined;
    const form = words === undefined ? undefined : readOnlyForm(words);
    if (form === undefined) return [exact];
    return [exact, scopeOf(["form", form, cwd], `every ${form} that only reads in ${cwd}`)];
  }
  if (subject.type === "files") {
    const roots = rootsOf(subject.paths, workspace);
    const places = roots.map((root) => (root === workspace.cwd ? "this workspace" : root));
    return [scopeOf(["files", tool, ...roots], `${tool} in ${places.join(" and ")}`)];
  }
  // What is typed into a process is not known beforehand.
  return tool === "bash" ? [] : [scopeOf(["tool", tool], `every call of ${tool}`)];
}

/** The folders that the user named and that these paths are in, each once; a path that is in none stands for itself. */
function rootsOf(paths: readonly string[], { cwd, directories }: GateWorkspace): readonly string[] {
  const named = [cwd, ...directories].toSorted((one, other) => other.length - one.length);
  const roots = paths.map((path) => named.find((root) => isBelow(path, root)) ?? path);
  return [...new Set(roots)].toSorted();
}

function isBelow(path: string, root: string): boolean {
  return path === root || path.startsWith(root.endsWith(sep) ? root : `${root}${sep}`);
}

function digestOf(...texts: readonly string[]): string {
  return createHash("sha256").update(JSON.stringify(texts)).digest("hex");
}
