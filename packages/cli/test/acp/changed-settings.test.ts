import { writeFile } from "node:fs/promises";
import { tempFolder } from "@acumen/testkit";
import { expect, test } from "vitest";
import { runMain } from "../support/run-main.ts";

interface Answer {
  readonly id?: unknown;
  readonly result?: {
    readonly sessionId?: string;
    readonly configOptions?: readonly { readonly id: string; readonly currentValue: string }[];
  };
  readonly error?: { readonly code: number; readonly message: string };
}

type Ask = (method: string, params: object) => Promise<Answer>;

/** Serves while `talk` asks one thing after the other. */
async function withHost(home: string, talk: (ask: Ask) => Promise<void>): Promise<void> {
  const lines: string[] = [];
  const waiting = new Map<unknown, (answer: Answer) => void>();
  let wake = (): void => undefined;
  let isOver = false;
  async function* input(): AsyncGenerator<Uint8Array> {
    while (!isOver || lines.length > 0) {
      const line = lines.shift();
      if (line !== undefined) yield Buffer.from(`${line}\n`);
      else await new Promise<void>((resolve) => (wake = resolve));
    }
  }
  const served = runMain(["acp"], {
    home,
    stdin: input() as unknown as readonly Uint8Array[],
    onStdout: (text) => {
      const message = JSON.parse(text) as Answer;
      waiting.get(message.id)?.(message);
    },
  });
  let next = 1;
  const ask: Ask = (method, params) =>
    new Promise((resolve) => {
      const id = next++;
      waiting.set(id, resolve);
      lines.push(JSON.stringify({ jsonrpc: "2.0", id, method, params }));
      wake();
    });
  try {
    await ask("initialize", { protocolVersion: 1 });
    await talk(ask);
  } finally {
    isOver = true;
    wake();
  }
  expect(await served).toMatchObject({ code: 0, stderr: "" });
}

test("settings and keys that change while the host runs hold for the next session, broken ones too", async () => {
  await using folder = await tempFolder();
  const home = folder.path;
  const settings = (text: string): Promise<void> => writeFile(`${home}/config.json`, text);
  const keys = (text: string): Promise<void> =>
    writeFile(`${home}/credentials.json`, text, { mode: 0o600 });
  await withHost(home, async (ask) => {
    const begin = (): Promise<Answer> => ask("session/new", { cwd: home, mcpServers: [] });
    const modelOf = ({ result }: Answer): unknown =>
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
