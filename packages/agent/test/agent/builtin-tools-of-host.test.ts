import { createScriptedModel } from "@acumen/models/testing";
import { tempFolder } from "@acumen/testkit";
import { readdir } from "node:fs/promises";
import { expect, test } from "vitest";
import {
  CodingAgentBuilder,
  DEFAULT_SETTINGS,
  MemorySessionStore,
  textBlock,
} from "../../src/index.ts";
import { payloadsOf } from "../turn/test-agent.ts";

test("a host gives the model only some built-in tools; a call of another one runs nothing", async () => {
  await using folder = await tempFolder();
  const model = createScriptedModel({
    steps: [
      { toolCalls: [{ tool: "write_file", input: { path: "a.txt", content: "a" } }] },
      { text: "Done.", expect: { toolsInclude: ["read_file"] } },
    ],
  });
  const agent = new CodingAgentBuilder({
    home: folder.join("home"),
    store: new MemorySessionStore(),
    resolveModel: () => Promise.resolve(model),
    settingsFor: () => Promise.resolve(DEFAULT_SETTINGS),
    environment: { PATH: process.env["PATH"] },
  }).build();
  const session = await agent.createSession({
    cwd: folder.path,
    model: "scripted/inline",
    builtinTools: ["read_file", "update_plan"],
    approvals: { request: () => Promise.resolve("allow_once") },
  });
  await agent.runtime.runPrompt(session, [textBlock("Write a file.")]);
  expect(payloadsOf(session.events, "TOOL_RESULT")).toMatchObject([{ status: "failed" }]);
  expect(await readdir(folder.path)).toEqual([]);
  const names = session.parts.registry.current().map(({ exposedName }) => exposedName);
  expect(names).toEqual(["read_file", "update_plan"]);
  await agent.close();
});
