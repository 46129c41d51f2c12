import { relative, sep } from "node:path";
import type { CommandView } from "./command-view.ts";
import { type GatedCall, type GateWorkspace, isNamedFolder } from "./gated-call.ts";
import { parsePermissionRules } from "./permission-rule.ts";
import { matchRule } from "./rule-match.ts";

const MAX_CHARS = 300;

/**
 * What to add to `permissions.allow`, so that a mode does not ask for this call; undefined when no rule for it alone would do.
 * What is said was tried.
 * @param redact takes secrets out; a rule with a secret is not suggested
 */
export function suggestedRule(
  call: GatedCall,
  view: CommandView | undefined,
  workspace: GateWorkspace,
  redact: (text: string) => string,
): string | undefined {
  const rule = ruleFor(call, view, workspace);
  if (rule === undefined || rule.length > MAX_CHARS || redact(rule) !== rule) return undefined;
  // What a reader would not see in it, nobody should copy.
  if (/[\p{C}\p{Zl}\p{Zp}]/u.test(rule) || !covers(rule, call, view, workspace)) return undefined;
  const { subject } = call.preview;
  if (subject.type === "command" && !isNamedFolder(subject.cwd, workspace)) {
    return `The rule \`${rule}\` in \`permissions.allow\` of the settings would allow it in ${workspace.cwd}, but not in ${subject.cwd}.`;
  }
  return `The rule \`${rule}\` in \`permissions.allow\` of the settings would allow it.`;
}

function ruleFor(
  { origin, tool, preview: { subject } }: GatedCall,
  view: CommandView | undefined,
  { cwd }: GateWorkspace,
): string | undefined {
  if (origin.type === "mcp")
    return tool.includes("*") ? undefined : `mcp(${origin.server}/${tool})`;
  switch (subject.type) {
    case "command":
      return view?.words === undefined ? undefined : `bash(${subject.command.trim()})`;
    case "files": {
      const [path, another] = subject.paths;
      if (path === undefined || another !== undefined || /[\\*?[\]{}!]/u.test(path))
        return undefined;
      const name = relative(cwd, path);
      return `${tool}(${name === "" || name.split(sep)[0] === ".." ? path : name})`;
    }
    case "none":
      return tool;
  }
}

function covers(
  text: string,
  call: GatedCall,
  view: CommandView | undefined,
  workspace: GateWorkspace,
): boolean {
  try {
    const { allow } = parsePermissionRules({ allow: [text], ask: [], deny: [] });
    return allow.some((rule) => matchRule(rule, call, view, workspace) === "yes");
  } catch {
    return false;
  }
}
