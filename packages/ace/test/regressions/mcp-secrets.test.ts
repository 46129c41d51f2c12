import { type Logger, silentLogger } from "@acumen/core";
import { modelError } from "@acumen/models";
import { describe, expect, it } from "vitest";
import { aceError } from "../../src/errors.ts";
import { createRecallRoles } from "../../src/roles/recall/index.ts";
import { Ace } from "../../src/runner/ace.ts";
import type { RunnerFactory } from "../../src/integrations/mcp/runner.ts";
import { connectInMemory } from "../integrations/mcp/support/in-memory.ts";
import { stubFactory } from "../integrations/mcp/support/stub-runner.ts";

const SECRET = "sk-live-0123456789abcdefghij";
const TEXT = `POST https://user:hunter2@api.example/v1?key=q-0123456789 failed, api_key=${SECRET}; Bearer ${SECRET}`;

/** Every level, as a host would keep it. */
function recorder(): { logger: Logger; lines: unknown[] } {
  const lines: unknown[] = [];
  const record: Logger["info"] = (message, fields) => lines.push({ message, fields });
  const all = { debug: record, info: record, warn: record, error: record };
  return { lines, logger: { ...silentLogger, ...all } };
}

const FAILURES: Readonly<Record<string, () => Error>> = {
  "an error without a code": () =>
    Object.assign(new Error(`${TEXT}\n    at ${TEXT}`), {
      requestBodyValues: { prompt: SECRET },
      responseHeaders: { authorization: `Bearer ${SECRET}` },
      cause: new Error(TEXT),
    }),
  "an error with such a code": () => Object.assign(new Error(TEXT), { code: SECRET }),
  "a failed role": () =>
    aceError("ACE_ROLE_FAILED", `It said: ${TEXT}`, { cause: new Error(TEXT) }),
  "a failed model": () =>
    modelError(`It said: ${TEXT}`, { provider: "openai", model: "m", kind: "bad_request" }),
  "a refused option": () =>
    aceError("ACE_OPTION_INVALID", `The model ${TEXT} is none.`, { details: { option: "model" } }),
};

/** The real engine, whose roles throw where they are told to. */
function failingRunner(role: "agent" | "reflector", fail: () => Error): RunnerFactory {
  const roles = createRecallRoles();
  const thrown = async (): Promise<never> => {
    throw fail();
  };
  return async (_settings, { skillbook, logger }) =>
    Ace.fromRoles(
      {
        ...roles,
        ...(role === "agent" ? { agent: { answer: thrown } } : { reflector: { reflect: thrown } }),
      },
      { skillbook, logger },
    );
}

const CALLS = [
  ["ace.ask", "agent", { question: "q" }],
  ["ace.learn.sample", "agent", { samples: [{ question: "q", ground_truth: "a" }] }],
  ["ace.learn.sample", "reflector", { samples: [{ question: "q", ground_truth: "a" }] }],
  ["ace.learn.feedback", "reflector", { question: "q", answer: "b", feedback: "wrong" }],
] as const;

describe("API keys (redash-mcp#30)", () => {
  describe.each(Object.entries(FAILURES))("%s", (_name, fail) => {
    it.each(CALLS)("%s (%s): neither results nor logs hold them", async (tool, role, args) => {
      const { logger, lines } = recorder();
      const createRunner = failingRunner(role, fail);
      await using connection = await connectInMemory({ createRunner, logger });
      const result = await connection.call(tool, { session_id: "s", ...args });
      const said = JSON.stringify([result, lines]);
      expect(said).toMatch(/"isError":true|first_error/);
      expect(said).not.toMatch(/hunter2|0123456789/);
    });
  });

  it("are not in the first error of a call of which a part succeeded", async () => {
    let calls = 0;
    const { agent, ...others } = createRecallRoles();
    const createRunner: RunnerFactory = async (_settings, { skillbook, logger }) =>
      Ace.fromRoles(
        {
          ...others,
          agent: {
            answer: async (input) => {
              calls += 1;
              if (calls === 1) throw aceError("ACE_ROLE_FAILED", `It said: ${TEXT}`);
              return await agent.answer(input);
            },
          },
        },
        { skillbook, logger, workers: 1 },
      );
    await using connection = await connectInMemory({ createRunner });
    const samples = ["one", "two"].map((question) => ({ question, ground_truth: "a" }));
    const result = await connection.call("ace.learn.sample", { session_id: "s", samples });
    expect(result._meta?.["acumen/learn"]).toEqual({
      first_error: {
        code: "ACE_ROLE_FAILED",
        message: "It said: POST https://***@api.example/v1?key=*** failed, api_key=***; Bearer ***",
      },
    });
  });

  it("appear neither in results nor in logs, whatever a runner of somebody's own throws", async () => {
    const { logger, lines } = recorder();
    const stub = stubFactory(() => ({
      ask: async () => {
        throw new Error(TEXT, { cause: { text: SECRET } });
      },
    }));
    await using connection = await connectInMemory({ createRunner: stub.create, logger });
    const result = await connection.call("ace.ask", { session_id: "s", question: "q" });
    expect(result.isError).toBe(true);
    expect(lines.length).toBeGreaterThan(0);
    expect(JSON.stringify([result, lines])).not.toMatch(/hunter2|0123456789/);
  });
});
