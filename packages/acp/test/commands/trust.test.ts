import { agentError, type TrustState, WorkspaceTrust } from "@acumen/agent";
import { expect, test } from "vitest";
import { commandBench } from "./support/command-bench.ts";

test("/trust trusts the folder as it is now, and says when that counts", async () => {
  await using bench = await commandBench();
  const { cwd, trust, session } = bench;
  const said = await bench.say("/trust");
  expect(said).toContain(
    `\`${cwd}\` is trusted as it is now; a change below \`.acumen\` ends that.`,
  );
  expect(said).toContain("count from the next session, or when this one is opened again.");
  expect(await trust.check(cwd)).toMatchObject({ state: "trusted" });
  // What is said is true: this session goes on as it began.
  expect(session.trusted).toBe(false);
  expect(await bench.say("/trust")).toMatch(/is trusted\. [\s\S]*when this one is opened again\./);
  await session.close();
  const again = await bench.agent.openSession(session.id);
  expect(again.trusted).toBe(true);
});

test("/trust in a session that is trusted says just that", async () => {
  await using bench = await commandBench({ trusted: true });
  expect(await bench.say("/trust")).toBe(
    `\`${bench.cwd}\` is trusted. \`acumen trust --revoke\` in a terminal ends that.`,
  );
});

test("/trust shows what changed since the folder was trusted before", async () => {
  await using bench = await commandBench({ trusted: true });
  await bench.write(".acumen/config.json", '{"permissions":{"deny":["bash(rm *)"]}}\n');
  const said = await bench.say("/trust");
  expect(said).toContain("Changed since it was trusted before:\n\n- added `.acumen/config.json`");
  expect(said).toMatch(/```\n[\s\S]*\+\{"permissions":\{"deny":\["bash\(rm \*\)"\]\}\}\n```/);
  expect(await bench.trust.check(bench.cwd)).toMatchObject({ state: "trusted" });
});

test("/trust refuses a folder that can't be trusted, with the reason", async () => {
  const check = async (cwd: string): Promise<TrustState> => ({
    state: "untrusted",
    path: cwd,
    digest: "0",
    problem: "CLI_SETTINGS_FILE_INVALID: config.json is no JSON.",
  });
  const trust = () => Promise.reject(new Error("must not be called"));
  await using bench = await commandBench({ hosted: { trust: { check, trust } } });
  expect(await bench.say("/trust")).toBe(
    `\`${bench.cwd}\` is not trusted. It can't be trusted: CLI_SETTINGS_FILE_INVALID: config.json is no JSON.`,
  );
});

test("/trust passes on that the process may trust nothing", async () => {
  await using bench = await commandBench({
    hosted: {
      trust: {
        check: (cwd) => trustOf(bench.home).check(cwd),
        trust: () =>
          Promise.reject(agentError("AGENT_WORKSPACE_UNTRUSTABLE", "Not for the agent.")),
      },
    },
  });
  expect(await bench.say("/trust")).toBe("AGENT_WORKSPACE_UNTRUSTABLE: Not for the agent.");
  expect(await bench.trust.check(bench.cwd)).toMatchObject({ state: "untrusted" });
});

test("/trust trusts what was looked at and nothing that came meanwhile", async () => {
  await using bench = await commandBench({
    hosted: {
      trust: {
        check: async (cwd) => {
          const state = await trustOf(bench.home).check(cwd);
          await bench.write(".acumen/config.json", "{}");
          return state;
        },
        trust: (cwd, looked) => trustOf(bench.home).trust(cwd, looked),
      },
    },
  });
  expect(await bench.say("/trust")).toMatch(/^AGENT_WORKSPACE_UNTRUSTABLE: .*look again/);
});

function trustOf(home: string): WorkspaceTrust {
  return new WorkspaceTrust({ home, environment: {} });
}
