import { closest } from "@acumen/core";
import { agentError } from "../errors.ts";
import type { PermissionRules } from "../settings/agent-settings.ts";
import { RESERVED_TOOL_NAMES } from "../tools/reserved-names.ts";
import { simpleWords } from "./shell/simple-command.ts";

export type RuleEffect = keyof PermissionRules;

export type RulePattern =
  | { readonly type: "any" }
  /** Words of a command; with `rest` more may follow. */
  | { readonly type: "words"; readonly words: readonly string[]; readonly rest: boolean }
  /** Relative to the workspace, or absolute. */
  | { readonly type: "glob"; readonly glob: string }
  /** `*` stands for any characters. */
  | { readonly type: "mcp"; readonly server: string; readonly tool: string };

export interface PermissionRule {
  readonly effect: RuleEffect;
  /** As it stands in the settings. */
  readonly text: string;
  /** A built-in name, or `mcp`. */
  readonly tool: string;
  readonly pattern: RulePattern;
}

export type PermissionRuleSet = Readonly<Record<RuleEffect, readonly PermissionRule[]>>;

const MCP = "mcp";
const TOOLS: readonly string[] = [...RESERVED_TOOL_NAMES, MCP];
const PATH_TOOLS: ReadonlySet<string> = new Set([
  "read_file",
  "write_file",
  "apply_patch",
  "edit",
  "glob",
  "grep",
]);
const FORM = /^([^\s()]+)(?:\((.*)\))?$/su;

/**
 * Reads the rules of the settings: `tool` or `tool(pattern)`. The pattern is for `bash` the words of a simple command with a
 * final `*` for the rest, for file tools a glob relative to the workspace, for `mcp` `server/tool` with `*`.
 * @throws AGENT_RULE_INVALID naming the rule
 */
export function parsePermissionRules(rules: PermissionRules): PermissionRuleSet {
  return {
    allow: rules.allow.map((text, index) => parseRule("allow", text, index)),
    ask: rules.ask.map((text, index) => parseRule("ask", text, index)),
    deny: rules.deny.map((text, index) => parseRule("deny", text, index)),
  };
}

function parseRule(effect: RuleEffect, text: string, index: number): PermissionRule {
  const refuse = (reason: string): never => {
    throw agentError(
      "AGENT_RULE_INVALID",
      `The ${effect} rule ${JSON.stringify(text)} (permissions.${effect}[${index}]) cannot be read: ${reason}`,
      { details: { rule: text, effect, index } },
    );
  };
  const form = FORM.exec(text.trim());
  const tool = form?.[1];
  if (tool === undefined) return refuse("write `tool` or `tool(pattern)`.");
  if (!TOOLS.includes(tool)) return refuse(unknownTool(tool));
  const pattern = form?.[2]?.trim();
  if (pattern === undefined) return { effect, text, tool, pattern: { type: "any" } };
  if (pattern === "") return refuse(`the pattern is empty; write \`${tool}\` for every call.`);
  return { effect, text, tool, pattern: parsePattern(tool, pattern, refuse) };
}

function unknownTool(tool: string): string {
  const near = tool.startsWith("mcp_") ? MCP : closest(tool, TOOLS);
  const hint =
    near === MCP
      ? " Tools of servers are written `mcp(server/tool)`."
      : near && ` Did you mean \`${near}\`?`;
  return `there is no tool \`${tool}\`.${hint ?? ` Tools are ${TOOLS.join(", ")}.`}`;
}

function parsePattern(
  tool: string,
  pattern: string,
  refuse: (reason: string) => never,
): RulePattern {
  if (tool === "bash") return parseWords(pattern, refuse);
  if (tool === MCP) return parseMcp(pattern, refuse);
  if (PATH_TOOLS.has(tool)) return parseGlob(pattern, refuse);
  return refuse(`\`${tool}\` takes no pattern; write \`${tool}\`.`);
}

function parseWords(pattern: string, refuse: (reason: string) => never): RulePattern {
  if (pattern === "*") return { type: "words", words: [], rest: true };
  const rest = /\s\*$/u.test(pattern);
  const words = simpleWords(rest ? pattern.slice(0, -1) : pattern);
  if (words !== undefined) return { type: "words", words, rest };
  return refuse(
    "its words must be those of a simple command (no operator, `$`, redirection, `~` or glob); a `*` may only be the last word, for the rest of the command.",
  );
}

function parseMcp(pattern: string, refuse: (reason: string) => never): RulePattern {
  const slash = pattern.indexOf("/");
  const server = pattern.slice(0, slash);
  const tool = pattern.slice(slash + 1);
  if (slash > 0 && tool !== "") return { type: "mcp", server, tool };
  return refuse(
    `write \`mcp(server/tool)\`; \`mcp(${pattern.replace("/", "")}/*)\` is every tool of a server.`,
  );
}

function parseGlob(pattern: string, refuse: (reason: string) => never): RulePattern {
  const glob = pattern.replace(/^(?:\.\/)+/u, "");
  if (glob.startsWith("!")) return refuse("a glob may not begin with `!`.");
  if (glob.startsWith("~")) return refuse("`~` is not expanded; write the absolute path.");
  if (glob.split("/").includes("..")) {
    return refuse("a glob may not hold `..`; write it relative to the workspace, or absolute.");
  }
  if (glob === "" || glob.endsWith("/")) {
    return refuse(`it names a folder; write \`${glob}**\` for what is in it.`);
  }
  return { type: "glob", glob };
}
