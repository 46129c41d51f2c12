import { writeFile } from "node:fs/promises";
import { tempFolder } from "@acumen/testkit";
import { expect, test } from "vitest";
import { type HostAnswer, withHost } from "../support/host-talk.ts";

test("settings and keys that change while the host runs hold for the next session, broken ones too", async () => {
  await using folder = await tempFolder();
  const home = folder.path;
  const settings = (text: string): Promise<void> => writeFile(`${home}/config.json`, text);
  const keys = (text: string): Promise<void> =>
    writeFile(`${home}/credentials.json`, text, { mode: 0o600 });
  await withHost({ home }, async (ask) => {
    const begin = (): Promise<HostAnswer> => ask("session/new", { cwd: home, mcpServers: [] });
    const modelOf = ({ result }: HostAnswer): unknown =>
      result?.configOptions?.find(({ id }) => id === "model")?.currentValue;
    expect((await begin()).error?.code).toBe(-32000);
    // Opens the agent, without a model.
    expect((await ask("session/list", {})).error).toBeUndefined();

    await settings("{oops");
    expect((await begin()).error).toMatchObject({
      code: -32603,
      message: expect.stringContaining("config.json:1:2") as string,
    });

    await settings('{"model": "anthropic/claude-sonnet-4-5"}');
    await keys('{"version": 1, "keys": {"ANTHROPIC_API_KEY": "k1", "OPENAI_API_KEY": "k2"}}');
    const first = await begin();
    expect(modelOf(first)).toBe("anthropic/claude-sonnet-4-5");

    await settings('{"model": "openai/gpt-4o-mini"}');
    expect(modelOf(await begin())).toBe("openai/gpt-4o-mini");

    await settings("{oops");
    expect((await begin()).error?.message).toContain("config.json:1:2");
    // What is open goes on.
    const sessionId = first.result?.sessionId;
    expect((await ask("session/set_mode", { sessionId, modeId: "manual" })).error).toBeUndefined();

    await settings('{"model": "openai/gpt-4o-mini"}');
    await keys("{oops");
    expect((await begin()).error).toMatchObject({
      code: -32000,
      message: expect.stringContaining("credentials.json") as string,
    });

    await keys('{"version": 1, "keys": {"OPENAI_API_KEY": "k3"}}');
    expect(modelOf(await begin())).toBe("openai/gpt-4o-mini");
  });
});
