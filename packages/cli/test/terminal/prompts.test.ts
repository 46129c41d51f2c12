import { PassThrough } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { type Prompts, terminalPrompts } from "../../src/terminal/prompts.ts";
import { CANARY } from "../support/canary.ts";

interface Keyboard {
  readonly prompts: Prompts;
  readonly type: (text: string) => Promise<void>;
  readonly shown: () => string;
}

async function keyboard(signal = new AbortController().signal): Promise<Keyboard> {
  const raw = { isTTY: true, setRawMode: () => undefined };
  const input = Object.assign(new PassThrough(), raw);
  const output = Object.assign(new PassThrough(), { isTTY: true, columns: 80, rows: 24 });
  let shown = "";
  output.on("data", (chunk: Buffer) => (shown += chunk.toString("utf8")));
  return {
    prompts: await terminalPrompts({ input, output, signal, gaveUp: "Given up." }),
    type: async (text) => {
      for (const key of text) {
        input.write(key);
        await sleep(2);
      }
    },
    shown: () => shown,
  };
}

test("a secret is taken as typed and never shown", async () => {
  const { prompts, type, shown } = await keyboard();
  const answer = prompts.secret({ message: "Key:", validate: () => undefined });
  await type(`${CANARY}\r`);
  expect(await answer).toBe(CANARY);
  expect(shown()).toContain("Key:");
  expect(shown()).not.toContain(CANARY);
});

test("a text is asked again until it is accepted", async () => {
  const { prompts, type, shown } = await keyboard();
  const answer = prompts.text({
    message: "Model:",
    validate: (text) => (text === "" ? "A name is needed." : undefined),
  });
  await type("\r");
  await type("qwen3\r");
  expect(await answer).toBe("qwen3");
  expect(shown()).toContain("A name is needed.");
});

test("choosing and agreeing", async () => {
  const { prompts, type } = await keyboard();
  const options = [
    { value: "a", label: "A" },
    { value: "b", label: "B", hint: "the second" },
  ];
  const chosen = prompts.select({ message: "Which?", options });
  await type("j\r");
  expect(await chosen).toBe("b");
  const agreed = prompts.confirm({ message: "Sure?", initial: true });
  await type("\r");
  expect(await agreed).toBe(true);
});

test("Ctrl-C gives up as the signal would", async () => {
  const { prompts, type } = await keyboard();
  const answer = prompts.secret({ message: "Key:", validate: () => undefined });
  const outcome = expect(answer).rejects.toMatchObject({
    code: "CLI_INTERRUPTED",
    details: { signal: "SIGINT" },
  });
  await type("\u0003");
  await outcome;
});

test("a signal ends a question", async () => {
  const controller = new AbortController();
  const { prompts } = await keyboard(controller.signal);
  const answer = prompts.confirm({ message: "Sure?", initial: true });
  const outcome = expect(answer).rejects.toMatchObject({ code: "CLI_INTERRUPTED" });
  controller.abort();
  await outcome;
});
