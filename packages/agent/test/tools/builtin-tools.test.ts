import { tempFolder } from "@acumen/testkit";
import { expect, test } from "vitest";
import type { QuestionGateway } from "../../src/approval/approval-gateway.ts";
import { createRedactor } from "../../src/redaction/redactor.ts";
import { createAskUserTool } from "../../src/tools/ask-user.ts";
import { createBuiltinTools } from "../../src/tools/builtin-tools.ts";
import { RESERVED_TOOL_NAMES } from "../../src/tools/reserved-names.ts";
import { createUpdatePlanTool } from "../../src/tools/update-plan.ts";
import { ReadLedger } from "../../src/workspace/read-ledger.ts";
import { openWorkspace } from "../../src/workspace/workspace.ts";
import { previewOf, runContext, runTool } from "./bash/fixture.ts";

test("the built-in tools are those whose names are reserved, with schemas of objects that take nothing else", async () => {
  await using folder = await tempFolder();
  const workspace = await openWorkspace({ cwd: folder.path });
  const { tools, close } = createBuiltinTools(workspace, {
    environment: {},
    redact: createRedactor(),
    outputFolder: () => Promise.resolve(folder.path),
    beforeWrite: () => Promise.resolve(),
    reads: new ReadLedger(),
  });
  expect(new Set(tools.map(({ name }) => name))).toEqual(new Set(RESERVED_TOOL_NAMES));
  for (const { inputSchema } of tools) {
    expect(inputSchema).toMatchObject({ type: "object", additionalProperties: false });
  }
  await close();
  await close();
});

test("commands of a host's terminal run there, with the scrubbed environment", async () => {
  await using folder = await tempFolder();
  const workspace = await openWorkspace({ cwd: folder.path });
  const seen: unknown[] = [];
  const { tools } = createBuiltinTools(workspace, {
    environment: { PATH: "/bin" },
    redact: createRedactor(),
    outputFolder: () => Promise.resolve(folder.path),
    beforeWrite: () => Promise.resolve(),
    reads: new ReadLedger(),
    operations: {
      processes: {
        exec: ({ command, cwd, env, timeoutMs, onData }) => {
          seen.push({ command, cwd, env, timeoutMs });
          void onData(Buffer.from("from the host"));
          return Promise.resolve({ exitCode: 0, signal: null, timedOut: false });
        },
      },
    },
  });
  const bash = tools.find(({ name }) => name === "bash");
  if (bash === undefined) throw new Error("There is no bash.");
  expect((await runTool(bash, { command: "ls", timeout_ms: 5 })).text).toBe("from the host");
  expect(seen).toEqual([
    { command: "ls", cwd: workspace.cwd, env: { PATH: "/bin" }, timeoutMs: 5 },
  ]);
});

test("a command that the host did not start runs on this machine, and a cut output is marked", async () => {
  await using folder = await tempFolder();
  const workspace = await openWorkspace({ cwd: folder.path });
  const calls: unknown[] = [];
  const exits = [undefined, { exitCode: 0, signal: null, timedOut: false, truncated: true }];
  const { tools, close } = createBuiltinTools(workspace, {
    environment: { PATH: process.env["PATH"] ?? "" },
    redact: createRedactor(),
    outputFolder: () => Promise.resolve(folder.path),
    beforeWrite: () => Promise.resolve(),
    reads: new ReadLedger(),
    operations: {
      processes: {
        exec: ({ callId }) => {
          calls.push(callId);
          return Promise.resolve(exits.shift());
        },
      },
    },
  });
  const bash = tools.find(({ name }) => name === "bash");
  if (bash === undefined) throw new Error("There is no bash.");
  expect(await runTool(bash, { command: "echo here" })).toMatchObject({
    text: "here",
    truncated: false,
  });
  expect(await runTool(bash, { command: "echo here" })).toMatchObject({
    text: "(no output)",
    truncated: true,
  });
  expect(calls).toEqual([expect.any(String), expect.any(String)]);
  await close();
});

test("update_plan gives the whole plan back, and advises on more than one entry in progress", async () => {
  const tool = createUpdatePlanTool();
  const entries = [
    { content: "look", status: "completed" },
    { content: "write", status: "in_progress", priority: "high" },
    { content: "test", status: "in_progress" },
  ];
  const outcome = await runTool(tool, { entries });
  expect(outcome).toMatchObject({ status: "completed", plan: entries });
  expect(outcome.text).toContain("1 completed, 2 in progress, 0 pending. Keep at most one");
  expect(await runTool(tool, { entries: [] })).toMatchObject({
    plan: [],
    text: "The plan is empty now.",
  });
  expect(await previewOf(tool, { entries })).toMatchObject({
    title: "Plan: 3 entries",
    risk: "read",
  });
});

test.each([
  [{}, "entries"],
  [{ entries: [{ content: "x", status: "done" }] }, "entries.0.status"],
  [{ entries: [{ content: " ", status: "pending" }] }, "entries.0.content"],
  [{ entries: [{ content: "x", status: "pending", extra: 1 }] }, "extra"],
  [{ entries: [{ content: "x".repeat(501), status: "pending" }] }, "entries.0.content"],
  [{ entries: Array.from({ length: 51 }, () => ({ content: "x", status: "pending" })) }, "entries"],
])("update_plan refuses what is no plan", async (input, named) => {
  const outcome = await runTool(createUpdatePlanTool(), input);
  expect(outcome.status).toBe("failed");
  expect(outcome).not.toHaveProperty("plan");
  expect(outcome.text).toContain(named);
});

test("ask_user passes the question on and gives the answer", async () => {
  const asked: unknown[] = [];
  const questions: QuestionGateway = {
    ask: ({ question, options }) => {
      asked.push({ question, options });
      return Promise.resolve("the red one");
    },
  };
  const tool = createAskUserTool(questions);
  const outcome = await runTool(tool, { question: "Which?\nReally?", options: ["red", "blue"] });
  expect(outcome).toMatchObject({ status: "completed", text: "the red one" });
  expect(outcome).not.toHaveProperty("unanswered");
  expect(asked).toEqual([{ question: "Which?\nReally?", options: ["red", "blue"] }]);
  expect((await previewOf(tool, { question: "Which?\nReally?" })).title).toBe("Which?");
});

test("ask_user says that nobody is there, with or without a way to ask", async () => {
  const silent: QuestionGateway = { ask: () => Promise.resolve(undefined) };
  for (const tool of [createAskUserTool(undefined), createAskUserTool(silent)]) {
    expect(await runTool(tool, { question: "Which?" })).toMatchObject({
      status: "failed",
      unanswered: "Which?",
    });
  }
});

test("ask_user ends with the abort, whatever the person does; long answers are cut", async () => {
  const never: QuestionGateway = { ask: () => new Promise(() => undefined) };
  const controller = new AbortController();
  const running = runTool(
    createAskUserTool(never),
    { question: "Which?" },
    runContext({ signal: controller.signal }),
  );
  controller.abort();
  await expect(running).rejects.toMatchObject({ code: "CORE_ABORTED" });
  const talker: QuestionGateway = { ask: () => Promise.resolve("x".repeat(30_000)) };
  const { text } = await runTool(createAskUserTool(talker), { question: "Which?" });
  expect(text).toMatch(/x\n\(10000 more characters were cut\.\)$/);
});
