import { textBlock } from "@acumen/agent";
import { tempFolder } from "@acumen/testkit";
import { mkdir, writeFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { hostPowers } from "../../src/acp/host-powers.ts";
import { openAgent, type OpenedAgent } from "../../src/agent/open-agent.ts";

interface Opened extends AsyncDisposable {
  readonly opened: OpenedAgent;
  readonly cwd: string;
  write(path: string, text: string): Promise<void>;
}

/** The agent as `acumen acp` opens it. */
async function openedAgent(variables: Readonly<Record<string, string>> = {}): Promise<Opened> {
  const folder = await tempFolder();
  const script = folder.join("script.json");
  await writeFile(script, JSON.stringify({ steps: [{ text: "Done." }] }));
  const [home, cwd] = [folder.join("home"), folder.join("work")];
  await Promise.all([mkdir(home), mkdir(`${cwd}/.acumen`, { recursive: true })]);
  const environment = {
    variables: { ACUMEN_HOME: home, ACUMEN_MODEL: `scripted/${script}`, ...variables },
    logLevel: "error",
    color: false,
  } as const;
  await writeFile(
    `${home}/config.json`,
    '{"learning":{"mode":"suggest","model":"builtin/recall"}}',
  );
  const opened = await openAgent(environment, {});
  return {
    opened,
    cwd,
    write: (path, text) => writeFile(`${cwd}/${path}`, text),
    [Symbol.asyncDispose]: async () => {
      await opened[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}

test("a host trusts a folder as it was looked at, and none that no session could begin with", async () => {
  await using one = await openedAgent();
  const { opened, cwd } = one;
  const { trust } = hostPowers(opened);
  await one.write(".acumen/config.json", '{"permissions":{"deny":["bash(rm"]}}');
  expect(await trust.check(cwd)).toMatchObject({
    state: "untrusted",
    problem: expect.stringMatching(/^AGENT_RULE_INVALID: /),
  });
  await one.write(".acumen/config.json", '{"permissions":{"deny":["bash(rm *)"]}}');
  const { digest, problem } = await trust.check(cwd);
  expect(problem).toBeUndefined();
  await one.write(".acumen/more.json", "{}");
  await expect(trust.trust(cwd, { digest })).rejects.toMatchObject({
    code: "AGENT_WORKSPACE_UNTRUSTABLE",
  });
  await trust.trust(cwd, await trust.check(cwd));
  expect(await trust.check(cwd)).toMatchObject({ state: "trusted" });
});

test("a host rates the last turn as the settings say", async () => {
  await using one = await openedAgent();
  const { agent, loaded } = one.opened;
  const { rate } = hostPowers(one.opened);
  const session = await agent.createSession({ cwd: one.cwd, model: loaded.model?.id ?? "" });
  await agent.runtime.runPrompt(session, [textBlock("what is the answer?")], {});
  const { signal } = new AbortController();
  const { learn } = await rate(session, "good", "well said", signal);
  const result = await learn?.(signal);
  expect(result).toMatchObject({ mode: "suggest", modelId: "builtin/recall", problems: [] });
  expect(result?.proposed).toHaveLength(1);
  expect(session.events.at(-1)).toMatchObject({
    type: "FEEDBACK",
    payload: { rating: "good", text: "well said" },
  });
  await expect(rate(session, "good", "", AbortSignal.abort())).rejects.toMatchObject({
    code: "CORE_ABORTED",
  });
});

test("a child of the agent trusts no folder and hands out no mode auto", async () => {
  await using one = await openedAgent({ ACUMEN_AGENT: "1" });
  const { checkMode, trust } = hostPowers(one.opened);
  const refused = { code: "CLI_REFUSED_TO_AGENT" };
  await expect(trust.trust(one.cwd, await trust.check(one.cwd))).rejects.toMatchObject(refused);
  expect(await trust.check(one.cwd)).toMatchObject({ state: "untrusted" });
  expect(() => checkMode("auto")).toThrow(expect.objectContaining(refused));
  expect(() => checkMode("safe")).not.toThrow();
});
