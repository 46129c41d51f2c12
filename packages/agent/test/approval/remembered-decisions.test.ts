import { describe, expect, test } from "vitest";
import { createRedactor, type GatedCall, RememberedDecisions } from "../../src/index.ts";
import { rememberedDecisionSchema } from "../../src/session/session-meta.ts";
import { bashCall, callOf, CWD, fileCall, gateWith, mcpCall, ScriptedGateway } from "./support.ts";

/** Answers "always" to the first call, then looks who decides about the second one. */
async function carriesOver(
  answer: "allow_always" | "reject_always",
  first: GatedCall,
  second: GatedCall,
): Promise<boolean> {
  const { decide } = gateWith({ gateway: new ScriptedGateway(answer, "reject_once") });
  expect(await decide(first, "manual")).toMatchObject({ decision: answer, by: "user" });
  const { by, decision } = await decide(second, "manual");
  if (by === "remembered") expect(decision).toBe(answer);
  return by === "remembered";
}

const LIB = "/home/you/lib";
const EVIL = `${CWD}/evil`;
const editOf = (...paths: string[]): GatedCall => fileCall("edit", "write", ...paths);
const edit = (path: string): GatedCall => editOf(`${CWD}/${path}`);
const started = (command: string): GatedCall =>
  callOf({
    tool: "bash",
    kind: "execute",
    input: { action: "start", command },
    preview: {
      risk: "execute",
      subject: { type: "command", command, cwd: CWD, background: true },
    },
  });

describe("always", () => {
  test.each([
    ["the same command in the same folder", bashCall("npm test"), bashCall("npm test"), true],
    ["another command", bashCall("npm test"), bashCall("npm test x"), false],
    ["another folder", bashCall("npm test"), bashCall("npm test", "/home/you/lib"), false],
    ["what hangs on to it", bashCall("npm test"), bashCall("npm test; rm x"), false],
    ["the form git status", bashCall("git status"), bashCall("git status --short"), true],
    ["the form git diff", bashCall("git diff"), bashCall("git diff --stat src/a.ts"), true],
    ["the form git log", bashCall("git log -5"), bashCall("git log --oneline main..HEAD"), true],
    ["the form git show", bashCall("git show"), bashCall("git show HEAD"), true],
    ["the form ls", bashCall("ls"), bashCall("ls -la src"), true],
    ["the form pwd", bashCall("pwd"), bashCall("pwd -P"), true],
    ["one form for another", bashCall("git status"), bashCall("git log"), false],
    ["a form that writes", bashCall("git diff"), bashCall("git diff --output=x"), false],
    ["a form that writes, apart", bashCall("git diff"), bashCall("git diff --output x"), false],
    ["a form that runs", bashCall("git log"), bashCall("git log --ext-diff -p"), false],
    ["a form that runs a filter", bashCall("git show"), bashCall("git show --textconv"), false],
    ["a form with settings", bashCall("git log"), bashCall("git -c core.pager=x log"), false],
    ["a form with a file elsewhere", bashCall("git diff"), bashCall("git diff /etc/x /y"), false],
    ["a form with a way out", bashCall("git diff"), bashCall("git diff a ../../x"), false],
    ["a form outside of git", bashCall("git diff"), bashCall("git diff --no-index a b"), false],
    ["a form that orders by a file", bashCall("git diff"), bashCall("git diff -Oorder"), false],
    ["a form that is not simple", bashCall("ls"), bashCall("ls > x"), false],
    ["a form in a folder below", bashCall("git status"), bashCall("git status", EVIL), false],
    ["a form of a folder below", bashCall("git log", EVIL), bashCall("git log -5", EVIL), false],
    ["a form elsewhere", bashCall("git status"), bashCall("git status -s", LIB), false],
    ["a form there", bashCall("git status", LIB), bashCall("git status -s", LIB), true],
    ["a form with a secret of old", bashCall("git show"), bashCall("git show HEAD:.env"), false],
    ["a form with a file of old", bashCall("git log"), bashCall("git log main:src/a.ts"), false],
    ["a form with a staged file", bashCall("git show"), bashCall("git show :.env"), false],
    ["a form with a secret", bashCall("git diff"), bashCall("git diff -- src/.env.local"), false],
    ["a form with a key", bashCall("git log"), bashCall("git log -p id_rsa"), false],
    ["a form with a glob", bashCall("git diff"), bashCall("git diff -- '.en?'"), false],
    ["a form with a sample", bashCall("git diff"), bashCall("git diff -- .env.example"), true],
    ["a form by another path", bashCall("ls"), bashCall("./ls"), false],
    ["a tool of files", edit("a.ts"), edit("b/c.ts"), true],
    ["a tool of files in another directory", edit("a"), editOf(`${LIB}/a`), false],
    ["a tool of files there", editOf(`${LIB}/a`), editOf(`${LIB}/b/c`), true],
    ["a tool of files in both", edit("a"), editOf(`${CWD}/a`, `${LIB}/a`), false],
    ["files in both", editOf(`${LIB}/a`, `${CWD}/a`), editOf(`${CWD}/b`, `${LIB}/b`), true],
    ["files in a folder of like name", edit("a"), editOf(`${CWD}-2/a`), false],
    ["a start of what was run", bashCall("npm start"), started("npm start"), false],
    ["a run of what was started", started("npm start"), bashCall("npm start"), false],
    ["a start of what was started", started("npm start"), started("npm start"), true],
    ["a start of a form", bashCall("git log"), started("git log"), false],
    ["another tool of files", edit("a.ts"), fileCall("write_file", "write", `${CWD}/a`), false],
    ["a server's tool", mcpCall("search"), mcpCall("search"), true],
    ["another tool of the server", mcpCall("search"), mcpCall("delete"), false],
    ["another server", mcpCall("search"), mcpCall("search", { server: "gitlab" }), false],
    ["a changed tool", mcpCall("search"), mcpCall("search", { identity: "hash-2" }), false],
  ])("covers, or not, %s", async (_name, first, second, covered) => {
    expect(await carriesOver("allow_always", first, second)).toBe(covered);
    expect(await carriesOver("reject_always", first, second)).toBe(covered);
  });

  test("is said in words before it is given", async () => {
    const gateway = new ScriptedGateway();
    const { decide } = gateWith({ gateway });
    await decide(bashCall("npm test"));
    await decide(bashCall("git diff"));
    await decide(edit("a.ts"));
    await decide(editOf(`${CWD}/a`, `${LIB}/a`));
    await decide(mcpCall("search"));
    expect(gateway.requests.map(({ alwaysCovers }) => alwaysCovers)).toEqual([
      `exactly the command npm test in ${CWD}`,
      `every git diff that only reads in ${CWD}`,
      "edit in this workspace",
      `edit in ${LIB} and this workspace`,
      "the tool search of the server github as it is now",
    ]);
  });

  test("cannot be given for a command that is not simple, but such a command can be refused for good", async () => {
    const gateway = new ScriptedGateway("allow_always", "reject_always");
    const { decide, announced, remembered } = gateWith({ gateway });
    const call = bashCall("npm test | tail");
    expect(await decide(call)).toEqual({ decision: "allow_once", by: "user" });
    expect(announced[0]).toEqual(["allow_once", "reject_once", "reject_always"]);
    expect(remembered.list()).toEqual([]);
    expect(await decide(call)).toMatchObject({ decision: "reject_always", by: "user" });
    expect(await decide(call)).toMatchObject({ decision: "reject_always", by: "remembered" });
  });

  test("cannot be given for what is typed into a process", async () => {
    const gateway = new ScriptedGateway("allow_always");
    const { decide, announced } = gateWith({ gateway });
    const typed = callOf({
      tool: "bash",
      input: { action: "write", input: "ls" },
      preview: { risk: "execute", subject: { type: "none" } },
    });
    await decide(typed);
    expect(announced).toEqual([["allow_once", "reject_once"]]);
  });
});

describe("a secret in a command", () => {
  const secret = "hunter2-of-the-service";
  const redact = createRedactor([secret]);

  test("is not stored with the decision, which stays understandable and holds", async () => {
    const gateway = new ScriptedGateway("allow_always", "reject_always", "reject_once");
    const { decide, persisted, remembered } = gateWith({ gateway, redact });
    const login = bashCall(`login --token ${secret}`);
    const read = bashCall("curl -H 'Authorization: Bearer abcdefghijklmnop1234' host");
    const other = bashCall("login --token another-word");
    await decide(login);
    await decide(read);
    expect(await decide(login)).toMatchObject({ decision: "allow_always", by: "remembered" });
    expect(await decide(read)).toMatchObject({ decision: "reject_always", by: "remembered" });
    expect(await decide(other)).toMatchObject({ by: "user" });
    const stored = JSON.stringify(persisted);
    expect(stored).not.toContain(secret);
    expect(stored).not.toContain("abcdefghijklmnop1234");
    expect(remembered.list().map(({ description }) => description)).toEqual([
      `exactly the command login --token [hidden] in ${CWD}`,
      `exactly the command curl -H 'Authorization: Bearer [hidden]' host in ${CWD}`,
    ]);
    for (const { scope } of remembered.list()) {
      expect(scope).toMatch(/^\["command","[0-9a-f]{64}"\]$/);
    }
    // The question itself shows the whole command.
    expect(gateway.requests[0]?.command).toContain(secret);
  });
});

describe("remembered decisions", () => {
  const scope = { scope: '["tool","x"]', description: "every call of x" };

  test("are stored, listed, restored and revoked", async () => {
    const { remembered, persisted, decide } = gateWith({
      gateway: new ScriptedGateway("allow_always", "reject_once"),
    });
    await decide(bashCall("npm test"));
    expect(persisted).toEqual([remembered.list()]);
    const [stored] = persisted[0] ?? [];
    expect(() => rememberedDecisionSchema.parse(stored)).not.toThrow();
    const resumed = gateWith({ decisions: persisted[0] ?? [] });
    expect(await resumed.decide(bashCall("npm test"))).toMatchObject({ by: "remembered" });
    expect(await remembered.revoke(stored?.id ?? "")).toBe(true);
    expect(await remembered.revoke(stored?.id ?? "")).toBe(false);
    expect(persisted.at(-1)).toEqual([]);
    expect(await decide(bashCall("npm test"))).toMatchObject({ by: "user" });
  });

  test("of one scope replace each other", async () => {
    const { remembered } = gateWith();
    await remembered.add("allow", scope);
    await remembered.add("reject", scope);
    expect(remembered.list().map(({ decision }) => decision)).toEqual(["reject"]);
  });

  test("lose nothing when several are given at once", async () => {
    const { remembered, persisted } = gateWith();
    const names = ["a", "b", "c", "d"];
    await Promise.all(names.map((name) => remembered.add("allow", { ...scope, scope: name })));
    expect(persisted.at(-1)?.map((one) => one.scope)).toEqual(names);
  });

  test("that could not be stored are not remembered, and the failure is told", async () => {
    const remembered = new RememberedDecisions({
      decisions: [],
      persist: () => Promise.reject(new Error("disk full")),
    });
    await expect(remembered.add("allow", scope)).rejects.toThrow("disk full");
    expect(remembered.list()).toEqual([]);
  });
});
