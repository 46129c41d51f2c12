import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { AcumenError } from "@acumen/core";
import { expect, test } from "vitest";
import { resolveModel } from "../../src/index.ts";
import { ask, collect, failureOf } from "../support/wires.ts";

/** A port where nothing listens any more. */
async function closedPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise<void>((resolve) => server.close(() => resolve()));
  return port;
}

test.each([
  ["ollama/qwen3", "OLLAMA_API_BASE", "ollama serve"],
  ["lm_studio/qwen3", "LM_STUDIO_API_BASE", "lms server start"],
  ["hosted_vllm/qwen3", "HOSTED_VLLM_API_BASE", "vllm serve"],
  ["openai_compatible/qwen3", "OPENAI_COMPATIBLE_BASE_URL", "llama-server"],
])(
  "nobody answers for %s: the error says where and how to start it",
  async (id, variable, hint) => {
    const url = `http://127.0.0.1:${await closedPort()}/v1`;
    const model = await resolveModel(id, { env: { [variable]: url }, retry: { attempts: 1 } });
    for (const work of [
      () => model.generate({ messages: ask("hi") }),
      () => collect(model.stream({ messages: ask("hi") })),
    ]) {
      const failure = await failureOf(work());
      if (!AcumenError.isInstance(failure)) throw failure;
      expect(failure.details).toMatchObject({ kind: "unavailable", retryable: true });
      expect(failure.message).toContain(url);
      expect(failure.message).toContain("ECONNREFUSED");
      expect(failure.message).toContain(hint);
      expect(failure.message).toContain(variable);
    }
  },
);

test("a redirect is not followed: it would carry the key to another host", async () => {
  const asked: string[] = [];
  const fetch: typeof globalThis.fetch = (input, init) => {
    asked.push(`${new Request(input).url} ${init?.redirect}`);
    return Promise.resolve(
      new Response("", { status: 307, headers: { location: "https://evil.example" } }),
    );
  };
  const env = { ANTHROPIC_API_KEY: "key-canary-0123456789" };
  const model = await resolveModel("claude-haiku-4-5", { env, fetch });
  const failure = await failureOf(model.generate({ messages: ask("hi") }));
  expect(failure).toMatchObject({ details: { kind: "bad_request", status: 307 } });
  expect(asked).toEqual(["https://api.anthropic.com/v1/messages manual"]);
});
