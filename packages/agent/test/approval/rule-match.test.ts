import { describe, expect, test } from "vitest";
import { deniedReads, matchRule, type RuleMatch } from "../../src/approval/rule-match.ts";
import { CommandView } from "../../src/approval/command-view.ts";
import { type GatedCall, parsePermissionRules } from "../../src/index.ts";
import { callOf, CWD, fileCall, mcpCall } from "./support.ts";

const WORKSPACE = { cwd: CWD, directories: ["/home/you/lib"] };

function match(effect: "allow" | "deny" | "ask", rule: string, call: GatedCall): RuleMatch {
  const [parsed] = parsePermissionRules({ allow: [], ask: [], deny: [], [effect]: [rule] })[effect];
  if (parsed === undefined) throw new Error("no rule");
  const { subject } = call.preview;
  const view = subject.type === "command" ? new CommandView(subject.command) : undefined;
  return matchRule(parsed, call, view, WORKSPACE);
}

const edit = (...paths: string[]): GatedCall => fileCall("edit", "write", ...paths);
const search = (path: string): GatedCall =>
  callOf({
    tool: "grep",
    kind: "search",
    preview: { risk: "read", subject: { type: "files", access: "read", paths: [path] } },
  });
const typed = (input: string): GatedCall =>
  callOf({
    tool: "bash",
    kind: "execute",
    input: { action: "write", process_id: "bg_1", input },
    preview: { risk: "execute", subject: { type: "none" } },
  });
const status = callOf({
  tool: "bash",
  kind: "execute",
  input: { action: "status", process_id: "bg_1" },
  preview: { risk: "read", subject: { type: "none" } },
});

describe("rules of file tools", () => {
  test.each([
    ["allow", "edit(src/**)", "yes", edit(`${CWD}/src/a/b.ts`)],
    ["allow", "edit(src/**)", "yes", edit(`${CWD}/src/.hidden`)],
    ["allow", "edit(src/**)", "no", edit(`${CWD}/src/a.ts`, `${CWD}/b.ts`)],
    ["deny", "edit(src/**)", "yes", edit(`${CWD}/src/a.ts`, `${CWD}/b.ts`)],
    ["ask", "edit(src/**)", "yes", edit(`${CWD}/b.ts`, `${CWD}/src/a.ts`)],
    ["allow", "edit(**)", "yes", edit(`${CWD}/a.ts`)],
    ["allow", "edit(**)", "no", edit("/home/you/lib/a.ts")],
    ["allow", "edit(/home/you/lib/**)", "yes", edit("/home/you/lib/a.ts")],
    ["deny", "edit(**)", "yes", edit("/home/you/lib/a.ts")],
    ["deny", "edit(src/**)", "yes", edit("/home/you/lib/src/a.ts")],
    ["deny", "edit(SRC/**)", "yes", edit(`${CWD}/src/a.ts`)],
    ["allow", "edit(SRC/**)", "no", edit(`${CWD}/src/a.ts`)],
    ["allow", "edit(src/*)", "no", edit(`${CWD}/src/a/b.ts`)],
    ["allow", "edit(src/**)", "no", edit(`${CWD}/srcs/a.ts`)],
    ["allow", "edit(src/**)", "no", edit("/home/you/project-2/src/a.ts")],
    ["allow", "edit(src/**)", "no", edit()],
    ["allow", "edit(..foo/**)", "yes", edit(`${CWD}/..foo/a.ts`)],
    ["allow", "edit(app/(group)/**)", "yes", edit(`${CWD}/app/(group)/c`)],
    ["allow", "edit(app/(group)/**)", "no", edit(`${CWD}/app/group/c`)],
    ["allow", "edit({src,test}/**)", "yes", edit(`${CWD}/test/c`)],
    ["allow", "write_file(src/**)", "no", edit(`${CWD}/src/a.ts`)],
    ["allow", "edit", "yes", edit("/anywhere")],
    ["deny", "edit(/home/**)", "yes", edit(`${CWD}/src/a.ts`)],
    ["deny", "read_file(/etc/**)", "yes", fileCall("read_file", "read", "/etc/hosts")],
  ] as const)("%s %s: %s (%#)", (effect, rule, expected, call) => {
    expect(match(effect, rule, call)).toBe(expected);
  });

  const WRITERS = ["edit", "write_file", "apply_patch"] as const;
  test.each(WRITERS.flatMap((named) => WRITERS.map((tool) => [named, tool] as const)))(
    "a rule of %s that forbids or asks holds for %s, one that allows for itself alone",
    (named, tool) => {
      const call = fileCall(tool, "write", `${CWD}/src/a.ts`);
      const elsewhere = fileCall(tool, "write", `${CWD}/b.ts`);
      for (const effect of ["deny", "ask"] as const) {
        expect(match(effect, `${named}(src/**)`, call)).toBe("yes");
        expect(match(effect, named, call)).toBe("yes");
        expect(match(effect, `${named}(src/**)`, elsewhere)).toBe("no");
      }
      const own = named === tool ? "yes" : "no";
      expect(match("allow", `${named}(src/**)`, call)).toBe(own);
      expect(match("allow", named, call)).toBe(own);
    },
  );

  test.each([
    // What may not be read is left out of what a search finds; what is asked for makes the whole search ask.
    ["deny", "read_file(secret/**)", "grep", `${CWD}/secret/a`, "yes"],
    ["deny", "read_file(secret/**)", "glob", `${CWD}/secret`, "yes"],
    ["deny", "read_file(secret/**)", "grep", CWD, "no"],
    ["deny", "read_file", "grep", CWD, "yes"],
    ["ask", "read_file(secret/**)", "grep", `${CWD}/secret/a`, "yes"],
    ["ask", "read_file(secret/**)", "glob", CWD, "maybe"],
    ["ask", "read_file(secret/**)", "grep", `${CWD}/src`, "no"],
    ["allow", "read_file(**)", "grep", `${CWD}/src`, "no"],
    ["deny", "grep(src/**)", "read_file", `${CWD}/src/a`, "no"],
    ["deny", "glob(src/**)", "grep", `${CWD}/src/a`, "no"],
    ["deny", "read_file(src/**)", "edit", `${CWD}/src/a`, "no"],
    ["deny", "edit(src/**)", "read_file", `${CWD}/src/a`, "no"],
  ] as const)("%s %s, for %s of %s: %s", (effect, rule, tool, path, expected) => {
    const kind = tool === "grep" || tool === "glob" ? "search" : "read";
    expect(match(effect, rule, { ...fileCall(tool, "read", path), kind })).toBe(expected);
  });

  test("what may not be read is named by its rule, in any letter case, and by no other rule", () => {
    const denied = deniedReads(
      parsePermissionRules({
        allow: ["read_file(a/**)"],
        ask: ["read_file(b/**)"],
        deny: ["edit(c/**)", "read_file(Secret/**)", "read_file(/etc/**)"],
      }),
      WORKSPACE,
    );
    const paths = [`${CWD}/secret/x`, "/home/you/lib/secret/x", "/etc/hosts"];
    expect(paths.map(denied)).toEqual([
      "read_file(Secret/**)",
      "read_file(Secret/**)",
      "read_file(/etc/**)",
    ]);
    for (const folder of ["a", "b", "c"]) expect(denied(`${CWD}/${folder}/x`)).toBeUndefined();
  });

  test.each([
    ["grep(secret/**)", `${CWD}/secret`, "yes"],
    ["grep(secret/**)", `${CWD}/secret/a`, "yes"],
    ["grep(secret/**)", CWD, "maybe"],
    ["grep(a/secret/**)", `${CWD}/a`, "maybe"],
    ["grep(**/*.pem)", `${CWD}/src`, "maybe"],
    ["grep(secret/**)", `${CWD}/src`, "no"],
    ["grep(/etc/**)", "/", "maybe"],
  ])("deny %s, a search of %s: %s", (rule, path, expected) => {
    expect(match("deny", rule, search(path))).toBe(expected);
  });
});

describe("rules of servers' tools", () => {
  const call = mcpCall("search_issues");
  test.each([
    ["allow", "mcp(github/search_issues)", "yes"],
    ["allow", "mcp(github/*)", "yes"],
    ["allow", "mcp(*/search_*)", "yes"],
    ["allow", "mcp(github/search)", "no"],
    ["allow", "mcp(git/search_issues)", "no"],
    ["allow", "mcp(GitHub/search_issues)", "no"],
    ["deny", "mcp(GitHub/Search_Issues)", "yes"],
    ["allow", "mcp(github/search.issues)", "no"],
    ["allow", "mcp", "yes"],
    ["deny", "mcp", "yes"],
    ["allow", "bash", "no"],
  ] as const)("%s %s: %s", (effect, rule, expected) => {
    expect(match(effect, rule, call)).toBe(expected);
  });

  test("a server's tool is never taken for the built-in one of its name", () => {
    expect(match("allow", "edit(src/**)", mcpCall("edit"))).toBe("no");
    expect(match("allow", "bash", mcpCall("bash"))).toBe("no");
    expect(match("deny", "edit", mcpCall("edit"))).toBe("no");
  });
});

describe("rules of bash, for what is no command", () => {
  test.each([
    ["allow", "bash", "yes", status],
    ["allow", "bash(*)", "no", status],
    ["allow", "bash", "no", typed("ls")],
    ["deny", "bash", "yes", status],
    ["deny", "bash(rm *)", "no", status],
    ["deny", "bash(rm *)", "yes", typed("rm x\n")],
    ["deny", "bash(rm *)", "maybe", typed("ls\n")],
  ] as const)("%s %s: %s (%#)", (effect, rule, expected, call) => {
    expect(match(effect, rule, call)).toBe(expected);
  });
});
