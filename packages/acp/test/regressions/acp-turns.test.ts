import { modelError } from "@acumen/models";
import { createScriptedModel } from "@acumen/models/testing";
import { expect, test } from "vitest";
import { type HostBench, hostBench } from "../support/host-bench.ts";

// Reports on other agents of the protocol; the numbers are those of the list that was gathered before the server was built.

const PROMPT = [{ type: "text" as const, text: "Talk." }];
const LONG = { text: "word ".repeat(9_000), delayMs: 20 };

async function begun({ host, cwd }: HostBench): Promise<string> {
  return (await host.request("session/new", { cwd, mcpServers: [] })).sessionId;
}

async function says({ updates }: HostBench, text: string): Promise<void> {
  await expect.poll(() => JSON.stringify(updates)).toContain(text);
}

test("report 18: the whole text stands before the answer, and nothing behind it", async () => {
  await using bench = await hostBench({ steps: [{ text: "word ".repeat(200) }] });
  const { host, sent } = bench;
  const sessionId = await begun(bench);
  await host.request("session/prompt", { sessionId, prompt: PROMPT });
  const text = bench.updates
    .map((one) =>
      one.sessionUpdate === "agent_message_chunk" && one.content.type === "text"
        ? one.content.text
        : "",
    )
    .join("");
  expect(text).toBe("word ".repeat(200));
  const length = sent.length;
  await host.request("session/list", {});
  expect(sent.slice(length).filter((message) => "method" in message)).toEqual([]);
});

test("reports 19, 20, 24, 25: a cancel stops the turn with `cancelled`; the session is as good as before", async () => {
  await using bench = await hostBench({
    steps: [
      { toolCalls: [{ id: "c1", tool: "bash", input: { command: "sleep 30" } }] },
      LONG,
      { text: "Still here." },
    ],
    mode: "auto",
  });
  const { host, agent } = bench;
  const sessionId = await begun(bench);
  for (const sign of ["in_progress", "word"]) {
    const turn = host.request("session/prompt", { sessionId, prompt: PROMPT });
    await says(bench, sign);
    const at = performance.now();
    await host.notify("session/cancel", { sessionId });
    expect(await turn).toEqual({ stopReason: "cancelled" });
    expect(performance.now() - at).toBeLessThan(3_000);
    expect(agent.sessions.map(({ busy }) => busy)).toEqual([false]);
  }
  expect(await host.request("session/prompt", { sessionId, prompt: PROMPT })).toEqual({
    stopReason: "end_turn",
  });
  await says(bench, "Still here.");
});

test("report 21: a cancel while a turn is set up is not lost", async () => {
  await using bench = await hostBench({ steps: [LONG] });
  const { host } = bench;
  const sessionId = await begun(bench);
  for (const ticks of [0, 1, 2, 5, 20]) {
    const turn = host.request("session/prompt", { sessionId, prompt: PROMPT });
    for (let count = 0; count < ticks; count += 1) await Promise.resolve();
    await host.notify("session/cancel", { sessionId });
    expect(await turn).toEqual({ stopReason: "cancelled" });
  }
});

test("report 26: prompts that come together run one after the other, and each is answered", async () => {
  const steps = ["One.", "Two.", "Three."].map((text) => ({ text, delayMs: 5 }));
  await using bench = await hostBench({ steps });
  const { host, agent } = bench;
  const sessionId = await begun(bench);
  const answers = await Promise.all(
    steps.map((_step, index) =>
      host.request("session/prompt", {
        sessionId,
        prompt: [{ type: "text", text: `Prompt ${index}.` }],
      }),
    ),
  );
  expect(answers).toEqual(steps.map(() => ({ stopReason: "end_turn" })));
  const { events } = await agent.store.read(sessionId);
  const order = events.flatMap(({ type, payload }) => {
    if (type === "USER_MESSAGE") return [JSON.stringify(payload.content)];
    return type === "ASSISTANT_MESSAGE" ? [payload.text] : [];
  });
  expect(order.map((text) => /Prompt \d|One|Two|Three/u.exec(text)?.[0])).toEqual([
    "Prompt 0",
    "One",
    "Prompt 1",
    "Two",
    "Prompt 2",
    "Three",
  ]);
});

test("reports 27, 28: what a provider refuses is an error with its reason, and only missing keys are a login", async () => {
  const failure = modelError("openai: the quota is used up.", {
    provider: "openai",
    model: "m",
    kind: "quota",
    status: 429,
  });
  // The failure is not there yet when the session begins.
  const model = createScriptedModel({ steps: [] });
  await using failing = await hostBench({
    steps: [],
    agent: {
      resolveModel: (id) =>
        id === "scripted/inline" ? Promise.resolve(model) : Promise.reject(failure),
    },
  });
  const sessionId = await begun(failing);
  failing.agent.sessions[0]?.parts.model.use("openai/m", undefined);
  await expect(
    failing.host.request("session/prompt", { sessionId, prompt: PROMPT }),
  ).rejects.toMatchObject({
    code: -32603,
    message: "openai: the quota is used up.",
    data: { code: "MODEL_FAILED", kind: "quota", details: "openai: the quota is used up." },
  });
  await using keyless = await hostBench({
    steps: [],
    server: {
      greet: () => Promise.resolve({ image: true, missingCredentials: "Set OPENAI_API_KEY." }),
    },
  });
  await expect(begun(keyless)).rejects.toMatchObject({
    code: -32000,
    message: "Set OPENAI_API_KEY.",
  });
});

test("report 30: a host that answers nothing cannot hold a turn that is cancelled", async () => {
  await using bench = await hostBench({
    steps: [{ toolCalls: [{ id: "c1", tool: "bash", input: { command: "echo x > a" } }] }],
    permission: () => new Promise(() => undefined),
  });
  const { host, sent } = bench;
  const sessionId = await begun(bench);
  const turn = host.request("session/prompt", { sessionId, prompt: PROMPT });
  await expect
    .poll(() => sent.some((one) => "method" in one && one.method === "session/request_permission"))
    .toBe(true);
  await host.notify("session/cancel", { sessionId });
  expect(await turn).toEqual({ stopReason: "cancelled" });
});
