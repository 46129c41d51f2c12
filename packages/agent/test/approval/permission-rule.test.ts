import { describe, expect, test } from "vitest";
import { parsePermissionRules, type PermissionRules } from "../../src/index.ts";
import { RESERVED_TOOL_NAMES } from "../../src/tools/reserved-names.ts";

const rulesOf = (rules: Partial<PermissionRules>): PermissionRules => ({
  allow: [],
  ask: [],
  deny: [],
  ...rules,
});

describe("permission rules", () => {
  test.each([...RESERVED_TOOL_NAMES, "mcp"])("%s alone is every call", (tool) => {
    const { deny } = parsePermissionRules(rulesOf({ deny: [tool] }));
    expect(deny).toEqual([{ effect: "deny", text: tool, tool, pattern: { type: "any" } }]);
  });

  test.each([
    ["bash(npm test *)", { type: "words", words: ["npm", "test"], rest: true }],
    ["bash(npm test)", { type: "words", words: ["npm", "test"], rest: false }],
    ["bash( npm  'a b' * )", { type: "words", words: ["npm", "a b"], rest: true }],
    ["bash(*)", { type: "words", words: [], rest: true }],
    ["bash(echo '(x)')", { type: "words", words: ["echo", "(x)"], rest: false }],
    ["edit(src/**)", { type: "glob", glob: "src/**" }],
    ["edit(./src/*.ts)", { type: "glob", glob: "src/*.ts" }],
    ["read_file(/etc/**)", { type: "glob", glob: "/etc/**" }],
    ["mcp(github/search_*)", { type: "mcp", server: "github", tool: "search_*" }],
    ["mcp(*/*)", { type: "mcp", server: "*", tool: "*" }],
    ["mcp(server/a/b)", { type: "mcp", server: "server", tool: "a/b" }],
  ])("%s is read", (text, pattern) => {
    expect(parsePermissionRules(rulesOf({ allow: [text] })).allow[0]?.pattern).toEqual(pattern);
  });

  test.each([
    ["", "write `tool`"],
    ["bash(", "write `tool`"],
    ["bash(ls) x", "write `tool`"],
    ["(ls)", "write `tool`"],
    ["bash()", "pattern is empty"],
    ["Bash(ls)", "Did you mean `bash`?"],
    ["read_fil(x)", "Did you mean `read_file`?"],
    ["wombat", "Tools are bash"],
    ["mcp__github__search", "`mcp(server/tool)`"],
    ["mcp(github)", "`mcp(github/*)`"],
    ["mcp(/x)", "mcp(server/tool)"],
    ["bash(npm test:*)", "last word"],
    ["bash(npm * test)", "last word"],
    ["bash(npm test*)", "last word"],
    ["bash(a; b)", "simple command"],
    ["bash(rm $HOME)", "simple command"],
    ["edit(../x)", "`..`"],
    ["edit(!src/**)", "`!`"],
    ["edit(src/)", "`src/**`"],
    ["edit(~/x)", "absolute path"],
    ["update_plan(x)", "takes no pattern"],
  ])("%j is refused by name, with what would be right", (text, hint) => {
    const parse = (): unknown => parsePermissionRules(rulesOf({ deny: ["bash(ls)", text] }));
    expect(parse).toThrow(
      expect.objectContaining({
        code: "AGENT_RULE_INVALID",
        details: { rule: text, effect: "deny", index: 1 },
        message: expect.stringContaining(JSON.stringify(text)) as string,
      }),
    );
    expect(parse).toThrow(hint);
  });
});
