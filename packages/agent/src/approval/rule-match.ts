import { relative, sep } from "node:path";
import picomatch from "picomatch";
import { isJsonObject } from "@acumen/core";
import { CommandView } from "./command-view.ts";
import type { GatedCall, GateWorkspace } from "./gated-call.ts";
import type { PermissionRule, RulePattern } from "./permission-rule.ts";

/** `maybe`: it cannot be seen whether the rule holds. For an allow rule that is a no, for the others a reason to ask. */
export type RuleMatch = "yes" | "maybe" | "no";

type Glob = Extract<RulePattern, { type: "glob" }>;

const ANY_COMMAND = { type: "words", words: [], rest: true } as const;

/**
 * Whether a rule holds for a call. An allow rule has to cover all of it (every path, a command that is simple); for a deny or ask
 * rule one path or one part of a command is enough.
 */
export function matchRule(
  rule: PermissionRule,
  call: GatedCall,
  view: CommandView | undefined,
  workspace: GateWorkspace,
): RuleMatch {
  const { pattern, effect } = rule;
  if (call.origin.type === "mcp") {
    if (rule.tool !== "mcp") return "no";
    if (pattern.type !== "mcp") return "yes";
    const flags = effect === "allow" ? "u" : "iu";
    const holds =
      wildcard(pattern.server, flags).test(call.origin.server) &&
      wildcard(pattern.tool, flags).test(call.tool);
    return holds ? "yes" : "no";
  }
  if (rule.tool !== call.tool) return "no";
  if (call.tool === "bash") return matchCommand(rule, call, view);
  if (pattern.type !== "glob") return "yes";
  return matchPaths(rule, pattern, call, workspace);
}

function wildcard(pattern: string, flags: string): RegExp {
  const source = pattern.split("*").map((part) => part.replace(/[\\^$.*+?()[\]{}|/]/gu, "\\$&"));
  return new RegExp(`^${source.join(".*")}$`, `s${flags}`);
}

function matchCommand(
  { pattern, effect }: PermissionRule,
  call: GatedCall,
  view: CommandView | undefined,
): RuleMatch {
  if (effect === "allow") {
    // No command of this call: a look at a process that runs, or something typed into it.
    if (view === undefined) {
      return pattern.type === "any" && call.preview.risk === "read" ? "yes" : "no";
    }
    return view.allows(pattern.type === "words" ? pattern : ANY_COMMAND) ? "yes" : "no";
  }
  if (pattern.type !== "words") return "yes";
  const typed = typedText(call);
  if (typed === undefined) return view?.finds(pattern) ?? "no";
  // What is typed into a running process may be a command, or a piece of one, if that process is a shell.
  return new CommandView(typed).finds(pattern) === "yes" ? "yes" : "maybe";
}

function typedText({ input }: GatedCall): string | undefined {
  if (!isJsonObject(input) || input["action"] !== "write") return undefined;
  return typeof input["input"] === "string" ? input["input"] : undefined;
}

function matchPaths(
  { effect }: PermissionRule,
  { glob }: Glob,
  { preview, kind }: GatedCall,
  { cwd, directories }: GateWorkspace,
): RuleMatch {
  if (preview.subject.type !== "files") return effect === "allow" ? "no" : "maybe";
  const { paths } = preview.subject;
  const absolute = glob.startsWith("/");
  const pattern = literalParentheses(glob);
  if (effect === "allow") {
    const covers = picomatch(pattern, { dot: true, nonegate: true });
    const covered = paths.every((path) => {
      const form = absolute ? path : below(cwd, path);
      return form !== undefined && covers(form);
    });
    return covered && paths.length > 0 ? "yes" : "no";
  }
  const covers = picomatch(pattern, { dot: true, nonegate: true, nocase: true });
  const forms = paths.flatMap((path) =>
    absolute ? [path] : [cwd, ...directories].flatMap((root) => below(root, path) ?? []),
  );
  if (forms.some((form) => covers(form))) return "yes";
  // A search of a folder reads what the rule names, when that lies in it.
  return kind === "search" && forms.some((form) => mayHold(form, pattern)) ? "maybe" : "no";
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
