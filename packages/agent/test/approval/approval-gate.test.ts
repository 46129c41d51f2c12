import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import type {
  ApprovalAnswer,
  GatedCall,
  GateDecision,
  PermissionRules,
  RememberedDecision,
  SessionMode,
} from "../../src/index.ts";
import { bashCall, CWD, fileCall, gateWith, mcpCall, ScriptedGateway } from "./support.ts";

const CALLS = {
  read: { call: fileCall("read_file", "read", `${CWD}/a.ts`), rule: "read_file(*.ts)" },
  write: { call: fileCall("edit", "write", `${CWD}/a.ts`), rule: "edit(*.ts)" },
  execute: { call: bashCall("npm test"), rule: "bash(npm test *)" },
  network: { call: mcpCall("search"), rule: "mcp(github/*)" },
  trusted: { call: mcpCall("search", { trustedReadOnly: true }), rule: "mcp(github/*)" },
} as const;
type CallName = keyof typeof CALLS;
const SCOPES: Readonly<Record<CallName, string>> = {
  read: JSON.stringify(["files", "read_file", CWD]),
  write: JSON.stringify(["files", "edit", CWD]),
  execute: JSON.stringify([
    "command",
    createHash("sha256")
      .update(JSON.stringify(["npm test", CWD]))
      .digest("hex"),
  ]),
  network: JSON.stringify(["mcp", "github", "search", "hash-1"]),
  trusted: JSON.stringify(["mcp", "github", "search", "hash-1"]),
};

function decisionOn(
  decision: RememberedDecision["decision"],
  scope: string,
): readonly RememberedDecision[] {
  return [{ id: decision, decision, scope, description: "it", created_at: "2026-01-01T00:00:00Z" }];
}

/** What the contract says, as data: which calls a mode lets run. */
const RUNS_BY_MODE: Readonly<Record<SessionMode, readonly CallName[]>> = {
  auto: ["read", "write", "execute", "network", "trusted"],
  safe: ["read", "trusted"],
  manual: [],
};

interface Case {
  readonly mode: SessionMode;
  readonly name: CallName;
  readonly rules: readonly (keyof PermissionRules)[];
  readonly remembered: RememberedDecision["decision"] | undefined;
  readonly answer: ApprovalAnswer | undefined;
}

const MODES: readonly SessionMode[] = ["auto", "safe", "manual"];
const NAMES = Object.keys(CALLS) as readonly CallName[];
const RULES: readonly Case["rules"][] = [
  [],
  ["allow"],
  ["ask"],
  ["deny"],
  ["allow", "ask"],
  ["allow", "deny"],
  ["ask", "deny"],
  ["allow", "ask", "deny"],
];
const CASES: readonly Case[] = MODES.flatMap((mode) =>
  NAMES.flatMap((name) =>
    RULES.flatMap((rules) =>
      ([undefined, "allow", "reject"] as const).flatMap((remembered) =>
        ([undefined, "allow_once", "reject_once"] as const).map((answer) => ({
          mode,
          name,
          rules,
          remembered,
          answer,
        })),
      ),
    ),
  ),
);

/** Deny over ask over remembered rejection over allow over remembered allowance over mode. */
function expected({ mode, name, rules, remembered, answer }: Case): Partial<GateDecision> {
  const asked: Partial<GateDecision> =
    answer === undefined
      ? { decision: "reject_once", by: "nobody" }
      : { decision: answer, by: "user" };
  if (rules.includes("deny")) return { decision: "reject_once", by: "rule" };
  if (rules.includes("ask")) return asked;
  if (remembered === "reject") return { decision: "reject_always", by: "remembered" };
  if (rules.includes("allow")) return { decision: "allow_once", by: "rule" };
  if (remembered === "allow") return { decision: "allow_always", by: "remembered" };
  if (RUNS_BY_MODE[mode].includes(name)) return { decision: "allow_once", by: "mode" };
  return asked;
}

test(`every one of ${CASES.length} combinations of mode, call, rules, memory and gateway is decided by the order`, async () => {
  for (const one of CASES) {
    const { call, rule } = CALLS[one.name];
    const gateway = new ScriptedGateway(one.answer);
    const { decide, announced, remembered } = gateWith({
      rules: Object.fromEntries(one.rules.map((effect) => [effect, [rule]])),
      decisions: one.remembered ? decisionOn(one.remembered, SCOPES[one.name]) : [],
      ...(one.answer !== undefined && { gateway }),
    });
    const decision = await decide(call, one.mode);
    const wanted = expected(one);
    expect(decision, JSON.stringify(one)).toMatchObject(wanted);
    expect(announced.length, JSON.stringify(one)).toBe(wanted.by === "user" ? 1 : 0);
    const allowed = decision.decision.startsWith("allow");
    expect(decision.message === undefined, JSON.stringify(one)).toBe(allowed);
    expect(remembered.list()).toHaveLength(one.remembered ? 1 : 0);
  }
});

describe("a protected file", () => {
  const call = fileCall("edit", "write", `${CWD}/a.ts`, `${CWD}/AGENTS.md`);
  const allowed = {
    rules: { allow: ["edit", "edit(**)"] },
    decisions: decisionOn("allow", SCOPES.write),
  };

  test.each(MODES)("asks in mode %s, whatever is allowed and remembered", async (mode) => {
    const gateway = new ScriptedGateway("allow_once", "allow_always", "reject_always");
    const { decide, remembered, announced } = gateWith({ gateway, ...allowed });
    expect(await decide(call, mode)).toEqual({ decision: "allow_once", by: "user" });
    expect(announced).toEqual([["allow_once", "reject_once"]]);
    expect(gateway.requests[0]).toMatchObject({
      reason: `${CWD}/AGENTS.md is protected (AGENTS.md).`,
      options: ["allow_once", "reject_once"],
    });
    // An answer for good was not offered: it counts once.
    expect(await decide(call, mode)).toMatchObject({ decision: "allow_once" });
    expect(await decide(call, mode)).toMatchObject({ decision: "reject_once" });
    expect(remembered.list()).toHaveLength(1);
    expect(gateway.requests).toHaveLength(3);
  });

  test("asks although a rejection is remembered, and is denied by a deny rule", async () => {
    const gateway = new ScriptedGateway("allow_once");
    const rejecting = gateWith({ gateway, decisions: decisionOn("reject", SCOPES.write) });
    expect(await rejecting.decide(call, "auto")).toMatchObject({ by: "user" });
    const denying = gateWith({ gateway, rules: { deny: ["edit(AGENTS.md)"] } });
    expect(await denying.decide(call, "auto")).toMatchObject({ by: "rule" });
  });

  test("is rejected when nobody is there", async () => {
    const { decide } = gateWith(allowed);
    expect(await decide(call, "auto")).toMatchObject({ decision: "reject_once", by: "nobody" });
  });

  test("may be read", async () => {
    const { decide } = gateWith();
    const read = fileCall("read_file", "read", `${CWD}/AGENTS.md`);
    expect(await decide(read)).toMatchObject({ decision: "allow_once", by: "mode" });
  });
});

describe("commands", () => {
  test("a deny rule holds in mode auto, and names itself to the model", async () => {
    const { decide } = gateWith({ rules: { deny: ["bash(rm *)"] } });
    expect(await decide(bashCall("ls && timeout 5 rm -rf /"), "auto")).toMatchObject({
      decision: "reject_once",
      by: "rule",
      detail: "deny bash(rm *)",
      message: expect.stringMatching(/^The settings forbid .*bash\(rm \*\)/) as string,
    });
  });

  test("that cannot be seen through ask in mode auto where a deny rule may hold", async () => {
    const gateway = new ScriptedGateway("allow_always");
    const { decide, remembered } = gateWith({ gateway, rules: { deny: ["bash(rm *)"] } });
    const decision = await decide(bashCall("$(cat cmd) x"), "auto");
    expect(decision).toEqual({ decision: "allow_once", by: "user" });
    expect(gateway.requests[0]?.reason).toContain("deny bash(rm *)");
    expect(remembered.list()).toEqual([]);
  });

  test("ride on no allow rule", async () => {
    const { decide } = gateWith({ rules: { allow: ["bash(npm test *)", "bash"] } });
    expect(await decide(bashCall("npm test"))).toMatchObject({ by: "rule" });
    expect(await decide(bashCall("npm test; rm -rf /"))).toMatchObject({ by: "nobody" });
  });

  test("are allowed by rules in the folders that the user named, and not below", async () => {
    const { decide } = gateWith({ rules: { allow: ["bash(git status)", "bash"] } });
    for (const cwd of [CWD, "/home/you/lib"]) {
      expect(await decide(bashCall("git status", cwd))).toMatchObject({ by: "rule" });
    }
    for (const cwd of [`${CWD}/evil`, "/home/you/lib/evil", "/home/you"]) {
      expect(await decide(bashCall("git status", cwd))).toMatchObject({ by: "nobody" });
    }
  });
});

describe("nobody to ask", () => {
  const rejectedHint = "Run with --mode auto.";
  const said = async (
    call: GatedCall,
    rules: Partial<PermissionRules> = {},
    mode: SessionMode = "safe",
  ): Promise<string> => {
    const redact = (text: string): string => text.replaceAll("s3cret", "[hidden]");
    const { decide, announced } = gateWith({ rejectedHint, rules, redact });
    const decision = await decide(call, mode);
    expect(decision).toMatchObject({ decision: "reject_once", by: "nobody" });
    expect(announced).toEqual([]);
    return decision.message ?? "";
  };

  test.each([
    ["a command", bashCall("npm test"), "bash(npm test)"],
    ["a command with an option", bashCall(" fd -x wc 'a b' "), "bash(fd -x wc 'a b')"],
    ["a change", fileCall("edit", "write", `${CWD}/src/a.ts`), "edit(src/a.ts)"],
    ["a change elsewhere", fileCall("edit", "write", "/home/you/lib/a"), "edit(/home/you/lib/a)"],
    ["a server's tool", mcpCall("search"), "mcp(github/search)"],
  ])("names what would allow %s, and it does", async (_name, call, rule) => {
    for (const mode of ["safe", "manual"] as const) {
      const message = await said(call, {}, mode);
      expect(message).toContain(rejectedHint);
      expect(message).toContain(`The rule \`${rule}\` in \`permissions.allow\``);
      expect(message).toContain(`mode ${mode} asks`);
      const { decide } = gateWith({ rules: { allow: [rule] } });
      expect(await decide(call, mode)).toMatchObject({ by: "rule", decision: "allow_once" });
    }
  });

  test.each([
    ["is not simple", bashCall("npm test | tail")],
    ["no rule covers", bashCall("git -C x status")],
    ["holds a secret", bashCall("login s3cret")],
    ["is long", bashCall(`echo ${"x".repeat(400)}`)],
    ["changes several files", fileCall("edit", "write", `${CWD}/a`, `${CWD}/b`)],
    ["changes a file that would be a glob", fileCall("edit", "write", `${CWD}/a*`)],
    ["is a wild name of a server's tool", mcpCall("sea*")],
  ])("names no rule for a call that %s", async (_name, call) => {
    const message = await said(call);
    expect(message).toContain(rejectedHint);
    expect(message).not.toContain("The rule");
  });

  test("says where a rule would hold when it does not hold here", async () => {
    expect(await said(bashCall("npm test", `${CWD}/a`))).toContain(
      `The rule \`bash(npm test)\` in \`permissions.allow\` of the settings would allow it in ${CWD}, but not in ${CWD}/a.`,
    );
  });

  test.each([
    ["an ask rule", bashCall("git push"), "The rule ask bash(git push *) asks"],
    ["a deny rule that may hold", bashCall("$X"), "It cannot be seen whether the rule"],
    ["a protected file", fileCall("edit", "write", `${CWD}/AGENTS.md`), "is protected (AGENTS.md)"],
  ])("promises nothing where %s asks in every mode", async (_name, call, reason) => {
    const rules = { ask: ["bash(git push *)"], deny: ["bash(rm *)"], allow: ["bash", "edit"] };
    for (const mode of MODES) {
      const message = await said(call, rules, mode);
      expect(message).toContain(reason);
      expect(message).toContain("only a person's answer allows it");
      expect(message).not.toContain(rejectedHint);
      expect(message).not.toContain("permissions.allow");
    }
  });
});

describe("a gateway that misbehaves", () => {
  test.each([
    ["throws", new Error("secret detail")],
    ["answers nonsense", "yes"],
    ["answers nothing", undefined],
    ["answers with a truthy object", { allow: true }],
  ])("and %s allows nothing", async (_name, answer) => {
    const { decide, remembered } = gateWith({ gateway: new ScriptedGateway(answer) });
    const decision = await decide(bashCall("ls"));
    expect(decision).toMatchObject({ decision: "reject_once", by: "nobody" });
    expect(JSON.stringify(decision)).not.toContain("secret detail");
    expect(remembered.list()).toEqual([]);
  });

  test("and throws before it gives a promise allows nothing", async () => {
    const gateway = {
      request: () => {
        throw new Error("at once");
      },
    };
    expect(await gateWith({ gateway }).decide(bashCall("ls"))).toMatchObject({ by: "nobody" });
  });

  test("and says cancelled cancels", async () => {
    const { decide } = gateWith({ gateway: new ScriptedGateway("cancelled") });
    expect(await decide(bashCall("ls"))).toMatchObject({ decision: "cancelled" });
  });
});

describe("an abort", () => {
  test("while the question is open cancels at once, also when the gateway does not heed it", async () => {
    const controller = new AbortController();
    const { decide } = gateWith({ gateway: new ScriptedGateway("never") });
    const open = decide(bashCall("ls"), "safe", controller.signal);
    setTimeout(() => controller.abort(), 20);
    expect(await open).toMatchObject({ decision: "cancelled", by: "user" });
  });

  test("ignores what the gateway says afterwards", async () => {
    for (const late of ["answer", "failure"] as const) {
      const controller = new AbortController();
      let settle = (): void => undefined;
      const gateway = {
        request: () => {
          controller.abort();
          return new Promise<ApprovalAnswer>((resolve, reject) => {
            settle = () => {
              if (late === "answer") resolve("allow_always");
              else reject(new Error("late"));
            };
          });
        },
      };
      const { decide, remembered } = gateWith({ gateway });
      const decision = await decide(bashCall("ls"), "safe", controller.signal);
      settle();
      await new Promise((resolve) => setImmediate(resolve));
      expect(decision).toMatchObject({ decision: "cancelled" });
      expect(remembered.list()).toEqual([]);
    }
  });

  test("before the decision cancels even what would be allowed, and asks nobody", async () => {
    const gateway = new ScriptedGateway("allow_once");
    const { decide } = gateWith({ gateway });
    const decision = await decide(bashCall("ls"), "auto", AbortSignal.abort());
    expect(decision).toMatchObject({ decision: "cancelled" });
    expect(gateway.requests).toEqual([]);
  });
});

test("a mode holds for the calls that come after it", async () => {
  const { decide } = gateWith();
  const call = bashCall("npm test");
  const decisions = [await decide(call, "safe"), await decide(call, "auto"), await decide(call)];
  expect(decisions.map(({ by }) => by)).toEqual(["nobody", "mode", "nobody"]);
});
