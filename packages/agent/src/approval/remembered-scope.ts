import { createHash } from "node:crypto";
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
    return [scopeOf(["files", tool, workspace.cwd], `${tool} in this workspace`)];
  }
  // What is typed into a process is not known beforehand.
  return tool === "bash" ? [] : [scopeOf(["tool", tool], `every call of ${tool}`)];
}

function digestOf(...texts: readonly string[]): string {
  return createHash("sha256").update(JSON.stringify(texts)).digest("hex");
}
