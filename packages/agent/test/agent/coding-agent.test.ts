import { type Logger, silentLogger } from "@acumen/core";
import { modelError } from "@acumen/models";
import { createScriptedModel } from "@acumen/models/testing";
import { tempFolder } from "@acumen/testkit";
import { mkdir, symlink } from "node:fs/promises";
import { expect, test } from "vitest";
import {
  CodingAgentBuilder,
  type CodingAgentOptions,
  DEFAULT_SETTINGS,
  FileSessionStore,
  textBlock,
  type ToolSource,
} from "../../src/index.ts";
import {
  answers,
  payloadsOf,
  RecordingSink,
  testAgent,
  toolOf,
  typesOf,
} from "../turn/test-agent.ts";

async function fileAgent(
  home: string,
  steps: readonly unknown[],
  rest: Partial<CodingAgentOptions> = {},
): Promise<ReturnType<CodingAgentBuilder["build"]>> {
  await mkdir(home, { recursive: true });
  const model = createScriptedModel({ steps });
  return new CodingAgentBuilder({
    home,
    store: new FileSessionStore({ home }),
    resolveModel: () => Promise.resolve(model),
    settingsFor: () => Promise.resolve(DEFAULT_SETTINGS),
    environment: { PATH: process.env["PATH"] },
    trustOnce: true,
    ...rest,
  }).build();
}

test("a session is stored before its first prompt, and goes on in another agent from its log alone", async () => {
  await using folder = await tempFolder();
  const home = folder.join("home");
  const cwd = folder.join("project");
  await mkdir(cwd);
  const first = await fileAgent(home, [{ text: "My name is Ada." }]);
  const created = await first.createSession({ cwd, model: "scripted/inline" });
  const { id } = created;
  expect((await first.store.list()).sessions.map(({ session_id: one }) => one)).toEqual([id]);
  expect(payloadsOf(created.events, "SESSION_CREATED")).toEqual([
    { cwd, additional_directories: [], model: "scripted/inline", mode: "safe" },
  ]);
  await first.runtime.runPrompt(created, [textBlock("Who are you?")]);
  await first.close();

  const second = await fileAgent(home, [{ text: "Ada.", expect: { lastUserIncludes: "again" } }]);
  const opened = await second.openSession(id, { mode: "manual" });
  expect(payloadsOf(opened.events, "SESSION_RESUMED")).toEqual([
    { model: "scripted/inline", mode: "safe", skipped_records: 0 },
  ]);
  expect(opened.mode).toBe("manual");
  const sink = new RecordingSink();
  await second.runtime.runPrompt(opened, [textBlock("Say it again.")], { sink });
  expect(typesOf(sink.events)).not.toContain("TITLE_CHANGED");
  expect(opened.meta.title).toBe("Who are you?");
  await expect(second.openSession(id)).rejects.toMatchObject({ code: "AGENT_SESSION_LOCKED" });
  expect(opened.events.map(({ seq }) => seq)).toEqual(opened.events.map((_, index) => index + 1));
  await second.close();
  await expect(second.openSession(id)).rejects.toMatchObject({ code: "AGENT_SESSION_CLOSED" });
});

test("a session opens only where it was begun, by whatever path, and takes other directories than it had", async () => {
  await using folder = await tempFolder();
  const [home, cwd, more] = [folder.join("home"), folder.join("project"), folder.join("more")];
  await Promise.all([mkdir(cwd), mkdir(more), symlink(cwd, folder.join("link"))]);
  const first = await fileAgent(home, []);
  const { id } = await first.createSession({ cwd, model: "scripted/inline" });
  await first.close();
  const second = await fileAgent(home, []);
  await expect(second.openSession(id, { cwd: more })).rejects.toMatchObject({
    code: "AGENT_WORKSPACE_INVALID",
    details: { path: more, cwd },
  });
  const opened = await second.openSession(id, {
    cwd: folder.join("link"),
    additionalDirectories: [more],
  });
  expect(typesOf(opened.events)).toEqual(["SESSION_CREATED", "SESSION_RESUMED"]);
  expect(opened.workspace).toMatchObject({ cwd, directories: [more] });
  expect(opened.meta.additional_directories).toEqual([more]);
  await opened.close();
  const again = await second.openSession(id, { additionalDirectories: [] });
  expect(again.workspace.directories).toEqual([]);
  await second.close();
});

test("a session whose process died in the middle of a call goes on", async () => {
  await using folder = await tempFolder();
  const home = folder.join("home");
  const cwd = folder.join("project");
  await mkdir(cwd);
  const first = await fileAgent(home, [{ text: "never" }]);
  const session = await first.createSession({ cwd, model: "scripted/inline" });
  const place = { turnId: "01", step: 1 };
  await session.log.record(
    { type: "USER_MESSAGE", payload: { content: [textBlock("go")], source: "test" } },
    place,
  );
  await session.log.record(
    {
      type: "TOOL_CALL",
      payload: {
        call_id: "c1",
        tool: "bash",
        exposed_name: "bash",
        kind: "execute",
        title: "make",
        input: { command: "make" },
        locations: [],
        diff: [],
      },
    },
    place,
  );
  await first.close();
  const second = await fileAgent(home, [{ text: "going on" }]);
  const opened = await second.openSession(session.id);
  const before = opened.events.slice(0, 3);
  const result = await second.runtime.runPrompt(opened, [textBlock("go on")]);
  expect(result).toMatchObject({ stopReason: "end_turn", text: "going on" });
  expect(opened.events.slice(0, 3)).toEqual(before);
  await second.close();
});

test("twenty sessions at the same time know nothing of each other", async () => {
  await using folder = await tempFolder();
  const steps = (name: string): unknown[] => [
    { text: `I am ${name}.`, toolCalls: [{ tool: "bash", input: { command: `echo ${name}` } }] },
    { text: `done ${name}`, expect: { toolResultIncludes: name }, chunkSize: 3 },
  ];
  const models = new Map<string, ReturnType<typeof createScriptedModel>>();
  const agent = await fileAgent(folder.join("home"), [], {
    resolveModel: (id) => {
      const model = models.get(id) ?? createScriptedModel({ steps: steps(id) });
      models.set(id, model);
      return Promise.resolve(model);
    },
  });
  const names = Array.from({ length: 20 }, (_, index) => `session-${index}`);
  await Promise.all(
    names.map(async (name) => {
      const cwd = folder.join(name);
      await mkdir(cwd);
      const session = await agent.createSession({ cwd, model: name, mode: "auto" });
      const sink = new RecordingSink();
      const result = await agent.runtime.runPrompt(session, [textBlock(`go ${name}`)], { sink });
      expect(result).toMatchObject({ stopReason: "end_turn", text: `done ${name}` });
      const told = JSON.stringify([sink.events, sink.updates, session.events]);
      for (const other of names) {
        if (other === name) continue;
        expect(new RegExp(`${other}(?!\\d)`).test(told)).toBe(false);
      }
      expect(session.events.map(({ seq }) => seq)).toEqual(
        session.events.map((_, index) => index + 1),
      );
    }),
  );
  await agent.close();
  expect(agent.sessions).toEqual([]);
});

test("a missing key does not keep a session from being made; other failures do, and leave nothing behind", async () => {
  const failure = (kind: "auth" | "unknown_model") => () =>
    Promise.reject(modelError(kind, { provider: "p", model: "m", kind }));
  await using host = await testAgent({ agent: { resolveModel: failure("auth") } });
  expect(host.session.model).toBe("scripted/inline");
  await using folder = await tempFolder();
  const agent = await fileAgent(folder.join("home"), [], {
    resolveModel: failure("unknown_model"),
  });
  const options = { cwd: folder.path, model: "m/m" };
  await expect(agent.createSession(options)).rejects.toMatchObject({ code: "MODEL_FAILED" });
  expect((await agent.store.list()).sessions).toEqual([]);
});

test("a bad folder and a bad rule are refused, and tool sources are closed again", async () => {
  await using folder = await tempFolder();
  const home = folder.join("home");
  const agent = await fileAgent(home, []);
  const missing = { cwd: folder.join("missing"), model: "scripted/inline" };
  await expect(agent.createSession(missing)).rejects.toMatchObject({
    code: "AGENT_WORKSPACE_INVALID",
  });
  const bad = await fileAgent(home, [], {
    settingsFor: () =>
      Promise.resolve({
        ...DEFAULT_SETTINGS,
        permissions: { allow: ["bash("], ask: [], deny: [] },
      }),
  });
  await expect(bad.createSession({ ...missing, cwd: folder.path })).rejects.toMatchObject({
    code: "AGENT_RULE_INVALID",
  });
  expect(() => new CodingAgentBuilder({ home: "relative" } as CodingAgentOptions).build()).toThrow(
    "absolute",
  );
});

test("tool sources are waited for before the first model call, looked at before each, and closed", async () => {
  let ready = 0;
  let closed = 0;
  const late: ReturnType<typeof toolOf>[] = [];
  const source: ToolSource = {
    tools: () => late.map((tool) => ({ exposedName: tool.name, tool })),
    ready: () => {
      ready += 1;
      late.push(toolOf("early", () => (late.push(toolOf("later", answers("l"))), answers("e")())));
      return Promise.resolve();
    },
    close: () => ((closed += 1), Promise.resolve()),
  };
  await using host = await testAgent({
    steps: [
      { toolCalls: [{ tool: "early", input: {} }], expect: { toolsInclude: "early" } },
      { toolCalls: [{ tool: "later", input: {} }], expect: { toolsInclude: "later" } },
      { text: "done" },
    ],
    session: { toolSources: () => Promise.resolve([source]) },
  });
  expect(await host.prompt("go")).toMatchObject({ stopReason: "end_turn", text: "done" });
  expect(ready).toBe(1);
  await host.session.close();
  expect(closed).toBe(1);
});

test("why a tool is left out is logged once per session, whenever it comes to be so", async () => {
  const logged: unknown[] = [];
  const tools = [toolOf("bash", answers("b"))];
  const source: ToolSource = {
    tools: () => tools.map((tool) => ({ exposedName: tool.name, tool })),
    ready: () => Promise.resolve(),
    close: () => Promise.resolve(),
  };
  const look = toolOf("look", () => (tools.push(toolOf("GREP", answers("g"))), answers("l")()));
  tools.push(look);
  const logger: Logger = {
    ...silentLogger,
    warn: (message, fields) => void logged.push([message, fields?.["reason"]]),
  };
  await using host = await testAgent({
    steps: [{ toolCalls: [{ tool: "look", input: {} }] }, { text: "a" }, { text: "b" }],
    agent: { logger },
    session: { toolSources: () => Promise.resolve([source]) },
  });
  await host.prompt("go");
  await host.prompt("again");
  expect(logged).toEqual([
    ["tools of a session were left out", expect.stringMatching(/tool bash of .* built-in tool/)],
    ["tools of a session were left out", expect.stringMatching(/tool GREP of .* built-in tool/)],
  ]);
});
