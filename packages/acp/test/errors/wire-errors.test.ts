import { agentError } from "@acumen/agent";
import { modelError } from "@acumen/models";
import { createScriptedModel } from "@acumen/models/testing";
import type { ContentBlock } from "@agentclientprotocol/sdk";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type HostBench, hostBench } from "../support/host-bench.ts";

const PROMPT: ContentBlock[] = [{ type: "text", text: "Talk." }];
const PIXEL =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

async function begun({ host, cwd }: HostBench): Promise<string> {
  return (await host.request("session/new", { cwd, mcpServers: [] })).sessionId;
}

test("a working directory that is relative, missing, a file or unusable is refused", async () => {
  await using bench = await hostBench({ steps: [] });
  const { host, cwd, agent } = bench;
  const file = join(cwd, "file");
  await writeFile(file, "x");
  const open = (path: string, additionalDirectories: string[] = []): Promise<unknown> =>
    host.request("session/new", { cwd: path, mcpServers: [], additionalDirectories });
  for (const path of ["", ".", "project", "~/x"]) {
    await expect(open(path)).rejects.toMatchObject({ code: -32602, data: { path: "cwd" } });
  }
  for (const path of [join(cwd, "none"), file, `${cwd}\0x`]) {
    await expect(open(path)).rejects.toMatchObject({
      code: -32602,
      data: { code: "AGENT_WORKSPACE_INVALID", path },
    });
  }
  await expect(open(cwd, [cwd, "x"])).rejects.toMatchObject({
    code: -32602,
    data: { path: "additionalDirectories.1" },
  });
  await expect(open(cwd, [join(cwd, "none")])).rejects.toMatchObject({ code: -32602 });
  expect(agent.sessions).toEqual([]);
  expect((await agent.store.list()).sessions).toEqual([]);
});

test("a prompt that is empty, too large or holds audio is refused, and the session goes on", async () => {
  await using bench = await hostBench({ steps: [{ text: "One." }, { text: "Two." }] });
  const { host } = bench;
  const sessionId = await begun(bench);
  const big = "x".repeat(6 * 1024 * 1024);
  const refused: [ContentBlock[], string][] = [
    [[], "prompt"],
    [[{ type: "text", text: " \n" }], "prompt"],
    [[...PROMPT, { type: "audio", data: "AAAA", mimeType: "audio/wav" }], "prompt.1.type"],
    [
      [
        { type: "text", text: big },
        { type: "text", text: `${big}x` },
      ],
      "prompt",
    ],
    [[...PROMPT, { type: "resource", resource: { uri: "file:///a", text: big + big } }], "prompt"],
    [[...PROMPT, { type: "image", data: big + big, mimeType: "image/png" }], "prompt"],
    [[...PROMPT, { type: "resource_link", uri: "file:///x", name: big + big }], "prompt"],
    [
      [...PROMPT, { type: "resource_link", uri: "file:///x", name: "x", title: big + big }],
      "prompt",
    ],
    [
      [...PROMPT, { type: "resource_link", uri: "file:///x", name: "x", description: big + big }],
      "prompt",
    ],
    [[...PROMPT, { type: "resource", resource: { uri: big + big, text: "x" } }], "prompt"],
    [[...PROMPT, { type: "image", data: "", mimeType: big + big }], "prompt"],
    [Array.from({ length: 10_001 }, () => ({ type: "text" as const, text: "x" })), "prompt"],
  ];
  for (const [prompt, path] of refused) {
    await expect(host.request("session/prompt", { sessionId, prompt })).rejects.toMatchObject({
      code: -32602,
      data: { path },
    });
  }
  await expect
    .poll(() => bench.updates.map(({ sessionUpdate }) => sessionUpdate))
    .toEqual(["available_commands_update"]);
  const large: ContentBlock[] = [{ type: "text", text: "x".repeat(12 * 1024 * 1024) }];
  // The largest one that is taken reaches the model or is too long for it; it is not refused here.
  const answer = await host
    .request("session/prompt", { sessionId, prompt: large })
    .catch((error: unknown) => error);
  expect(answer).not.toMatchObject({ code: -32602 });
  expect(await host.request("session/prompt", { sessionId, prompt: PROMPT })).toBeDefined();
  expect(bench.faults).toEqual([]);
});

test("links, embedded resources and images reach the model", async () => {
  await using bench = await hostBench({
    steps: [{ text: "Seen.", expect: { lastUserIncludes: "embedded-text" } }],
  });
  const { host, model } = bench;
  const sessionId = await begun(bench);
  const prompt: ContentBlock[] = [
    { type: "text", text: "Look." },
    { type: "resource_link", uri: "file:///x/linked-file.txt", name: "linked-file.txt" },
    { type: "resource", resource: { uri: "file:///x/a.txt", text: "embedded-text" } },
    { type: "image", data: PIXEL, mimeType: "image/png" },
  ];
  expect(await host.request("session/prompt", { sessionId, prompt })).toEqual({
    stopReason: "end_turn",
  });
  const asked = JSON.stringify(model.calls[0]?.prompt);
  expect(asked).toContain("linked-file.txt");
  expect(asked).toContain("embedded-text");
});

test("without keys no session begins, and it is said what to set", async () => {
  const missing = "No key is configured. Set ANTHROPIC_API_KEY.";
  await using bench = await hostBench({
    steps: [],
    server: { greet: () => Promise.resolve({ image: true, missingCredentials: missing }) },
  });
  await expect(begun(bench)).rejects.toMatchObject({ code: -32000, message: missing });
});

test("the key that counts is that of the folder's own model, whatever the machine's has", async () => {
  const missing = "Anthropic needs a key: run `acumen setup`, or set ANTHROPIC_API_KEY.";
  const choice = { model: "scripted/inline", mode: undefined };
  await using bench = await hostBench({
    steps: [],
    hosted: { choose: () => Promise.resolve({ ...choice, missingCredentials: missing }) },
  });
  await expect(begun(bench)).rejects.toMatchObject({ code: -32000, message: missing });

  await using other = await hostBench({
    steps: [],
    server: { greet: () => Promise.resolve({ image: true, missingCredentials: missing }) },
    hosted: { choose: () => Promise.resolve(choice) },
  });
  expect(await begun(other)).toBeTypeOf("string");
});

test("a key that a turn finds missing is no login either way but the same error", async () => {
  const failure = modelError("No key for openai. Set OPENAI_API_KEY.", {
    provider: "openai",
    model: "m",
    kind: "auth",
  });
  await using bench = await hostBench({
    steps: [],
    agent: { resolveModel: () => Promise.reject(failure) },
  });
  const sessionId = await begun(bench);
  await expect(
    bench.host.request("session/prompt", { sessionId, prompt: PROMPT }),
  ).rejects.toMatchObject({ code: -32000, message: expect.stringContaining("OPENAI_API_KEY") });
});

test("a key that the service rejects is a failure of the service, and no login", async () => {
  const failure = modelError("openai rejected the key.", {
    provider: "openai",
    model: "m",
    kind: "auth",
    status: 401,
  });
  await using bench = await hostBench({
    steps: [],
    agent: { resolveModel: () => Promise.reject(failure) },
  });
  const sessionId = await begun(bench);
  await expect(
    bench.host.request("session/prompt", { sessionId, prompt: PROMPT }),
  ).rejects.toMatchObject({ code: -32603, data: { code: "MODEL_FAILED", kind: "auth" } });
});

test("keys without a chosen model are no login", async () => {
  await using bench = await hostBench({
    steps: [],
    hosted: { choose: () => Promise.resolve({ model: undefined, mode: undefined }) },
  });
  await expect(begun(bench)).rejects.toMatchObject({
    code: -32603,
    data: { code: "NO_MODEL", details: expect.stringContaining("acumen setup") },
  });
});

test.each(["rate_limit", "quota", "unavailable", "bad_request"] as const)(
  "a failure of kind %s is an error with its reason, and the next prompt works",
  async (kind) => {
    await using bench = await hostBench({
      steps: [{ error: { kind, message: "The service says no." } }, { text: "Two." }],
    });
    const { host } = bench;
    const sessionId = await begun(bench);
    await expect(
      host.request("session/prompt", { sessionId, prompt: PROMPT }),
    ).rejects.toMatchObject({
      code: -32603,
      data: { code: "MODEL_FAILED", kind, retryable: expect.any(Boolean) },
    });
    expect(bench.sent.at(-1)).toHaveProperty("error");
    expect(await host.request("session/prompt", { sessionId, prompt: PROMPT })).toEqual({
      stopReason: "end_turn",
    });
    expect(bench.faults).toEqual([]);
  },
);

test("settings that cannot be used fail the request, not the process; mended, they work", async () => {
  let mended = false;
  const lines: string[] = [];
  const model = createScriptedModel({ steps: [] });
  await using bench = await hostBench({
    steps: [],
    hosted: {
      choose: () =>
        mended
          ? Promise.resolve({ model: "scripted/inline", mode: "safe" })
          : Promise.reject(new TypeError("inner sk-secret")),
    },
    agent: { resolveModel: () => Promise.resolve(model) },
    server: {
      logger: {
        debug: () => undefined,
        info: () => undefined,
        warn: () => undefined,
        error: (message) => void lines.push(message),
      },
    },
  });
  const failed = await begun(bench).catch((error: unknown) => error);
  expect(failed).toMatchObject({ code: -32603, data: { code: "INTERNAL" } });
  expect(JSON.stringify([failed, bench.sent])).not.toContain("sk-secret");
  expect(lines).toEqual(["a request failed inside"]);
  mended = true;
  expect(await begun(bench)).toBeTypeOf("string");
});

test("an agent that could not be opened is opened with the next request", async () => {
  let tries = 0;
  await using other = await hostBench({ steps: [] });
  await using bench = await hostBench({
    steps: [],
    server: {
      open: () => {
        tries += 1;
        if (tries < 3) {
          return Promise.reject(agentError("AGENT_TRUST_INVALID", "Mend trust.json."));
        }
        return Promise.resolve({
          agent: other.agent,
          choose: () => Promise.resolve({ model: "scripted/inline", mode: "safe" }),
          models: () => Promise.resolve([]),
        });
      },
    },
  });
  await expect.poll(() => tries).toBe(1);
  await expect(bench.host.request("session/list", {})).rejects.toMatchObject({
    code: -32603,
    message: "Mend trust.json.",
    data: { code: "AGENT_TRUST_INVALID" },
  });
  expect(await bench.host.request("session/list", {})).toEqual({ sessions: [] });
});
