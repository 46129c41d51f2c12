import { relative, sep } from "node:path";
import picomatch from "picomatch";
import type { GateWorkspace } from "./gated-call.ts";
import type { RuleEffect } from "./permission-rule.ts";

/** The glob of a rule, for absolute real paths. */
interface PathPattern {
  readonly covers: (path: string) => boolean;
  /** Something below this folder could be covered. */
  readonly mayHold: (folder: string) => boolean;
}

/** An allow rule is taken by the letter and for the working directory; the others in any letter case and for every directory. */
export function pathPattern(
  glob: string,
  { cwd, directories }: GateWorkspace,
  effect: RuleEffect,
): PathPattern {
  const strict = effect !== "allow";
  const pattern = literalParentheses(glob);
  const matches = picomatch(pattern, { dot: true, nonegate: true, nocase: strict });
  const roots = strict ? [cwd, ...directories] : [cwd];
  const formsOf = (path: string): readonly string[] =>
    glob.startsWith("/") ? [path] : roots.flatMap((root) => below(root, path) ?? []);
  return {
    covers: (path) => formsOf(path).some((form) => matches(form)),
    mayHold: (folder) => formsOf(folder).some((form) => mayHold(form, pattern)),
  };
}

/** Folders may be called `(group)`; the alternatives of a glob are written with braces. */
function literalParentheses(glob: string): string {
  return glob.replace(/[()]/gu, "\\$&");
}

/** Relative with `/`; undefined when it is not below `root`. */
function below(root: string, path: string): string | undefined {
  const name = relative(root, path);
  if (name === ".." || name.startsWith(`..${sep}`)) return undefined;
  return name.split(sep).join("/");
}

function mayHold(folder: string, pattern: string): boolean {
  const { base } = picomatch.scan(pattern);
  const inside = `${base.toLowerCase()}/`;
  const outside = folder === "" || folder === "/" ? "" : `${folder.toLowerCase()}/`;
  return base === "" || inside.startsWith(outside);
}
