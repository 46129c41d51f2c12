import { isJsonObject } from "@acumen/core";
import { CommandView } from "./command-view.ts";
import type { GatedCall, GateWorkspace } from "./gated-call.ts";
import { pathPattern } from "./path-pattern.ts";
import type { PermissionRule, PermissionRuleSet, RulePattern } from "./permission-rule.ts";

/** `maybe`: it cannot be seen whether the rule holds. For an allow rule that is a no, for the others a reason to ask. */
export type RuleMatch = "yes" | "maybe" | "no";

type Glob = Extract<RulePattern, { type: "glob" }>;

const READER = "read_file";
const SEARCHES: ReadonlySet<string> = new Set(["grep", "glob"]);
const WRITERS: ReadonlySet<string> = new Set(["edit", "write_file", "apply_patch"]);

const ANY_COMMAND = { type: "words", words: [], rest: true } as const;

/**
 * Whether a rule is about a tool. Who forbids to edit a file, or wants to be asked, means the file and not one of the ways to write it;
 * who forbids to read one means searches too. What is allowed is allowed for the named tool alone.
 */
function isMeant({ tool: named, effect }: PermissionRule, tool: string): boolean {
  if (named === tool) return true;
  if (effect === "allow") return false;
  return (WRITERS.has(named) && WRITERS.has(tool)) || (named === READER && SEARCHES.has(tool));
}

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
  if (!isMeant(rule, call.tool)) return "no";
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
  { tool, effect }: PermissionRule,
  { glob }: Glob,
  { preview, kind }: GatedCall,
  workspace: GateWorkspace,
): RuleMatch {
  if (preview.subject.type !== "files") return effect === "allow" ? "no" : "maybe";
  const { paths } = preview.subject;
  const pattern = pathPattern(glob, workspace, effect);
  if (effect === "allow") {
    return paths.length > 0 && paths.every((path) => pattern.covers(path)) ? "yes" : "no";
  }
  if (paths.some((path) => pattern.covers(path))) return "yes";
  // A search of a folder reads what the rule names, when that lies in it; what may not be read at all it leaves out.
  if (kind !== "search" || isLeftOut({ tool, effect })) return "no";
  return paths.some((path) => pattern.mayHold(path)) ? "maybe" : "no";
}

/**
 * Finds the deny rule by which a file may not be read: searches leave such a file out of what they find, and no prompt attaches it.
 * @returns for an absolute real path the text of the rule
 */
export function deniedReads(
  rules: PermissionRuleSet,
  workspace: GateWorkspace,
): (path: string) => string | undefined {
  const reads = rules.deny.filter(isLeftOut).map(({ text, effect, pattern }) => ({
    text,
    covers:
      pattern.type === "glob" ? pathPattern(pattern.glob, workspace, effect).covers : () => true,
  }));
  return (path) => reads.find(({ covers }) => covers(path))?.text;
}

function isLeftOut({ tool, effect }: Pick<PermissionRule, "tool" | "effect">): boolean {
  return tool === READER && effect === "deny";
}
