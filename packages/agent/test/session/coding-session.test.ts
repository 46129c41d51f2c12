import { modelError } from "@acumen/models";
import { createScriptedModel } from "@acumen/models/testing";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Tool } from "../../src/index.ts";
import { answers, payloadsOf, testAgent, toolOf, typesOf } from "../turn/test-agent.ts";

const change = toolOf("change", answers("changed"), { risk: "write", kind: "edit" });
const changing = { toolCalls: [{ tool: "change", input: {} }] };

test("a change of mode is recorded, kept, and holds from the next call of the running turn on", async () => {
  const asked: string[] = [];
  await using host = await testAgent({
    steps: [changing, changing, { text: "done" }],
    tools: [change],
    session: {
      mode: "safe",
      approvals: {
        request: async ({ callId }) => {
          asked.push(callId);
          await host.session.setMode("auto");
          return "allow_once";
        },
      },
    },
  });
  await host.prompt("go");
  expect(asked).toEqual(["call_1"]);
  expect(payloadsOf(host.session.events, "MODE_CHANGED")).toEqual([
    { mode: "auto", previous: "safe" },
  ]);
  expect(payloadsOf(host.session.events, "APPROVAL_DECIDED").map(({ by }) => by)).toEqual([
    "user",
    "mode",
  ]);
  expect((await host.agent.store.read(host.session.id)).meta.mode).toBe("auto");
});

test("in a workspace that is not trusted auto acts as safe, said once", async () => {
  await using host = await testAgent({
    steps: [changing, { text: "no" }, { text: "no" }],
    tools: [change],
    trusted: false,
  });
  expect([host.session.mode, host.session.effectiveMode]).toEqual(["auto", "safe"]);
  expect(await host.prompt("go")).toMatchObject({ blocked: { reason: "approval_rejected" } });
  await host.prompt("again");
  const said = payloadsOf(host.session.events, "ASSISTANT_MESSAGE").filter(
    ({ kind }) => kind === "command",
  );
  expect(said.map(({ text }) => text)).toEqual([expect.stringContaining("auto acts as safe")]);
  expect(JSON.stringify(host.model.calls)).not.toContain("auto acts as safe");
});

test("a model that cannot be had changes nothing; another one is used from the next call on", async () => {
  const other = createScriptedModel({ steps: [{ text: "from the other" }] });
  const first = createScriptedModel({ steps: [{ text: "from the first" }] });
  await using host = await testAgent({
    agent: {
      resolveModel: (id) => {
        if (id === "test/other") return Promise.resolve(other);
        if (id === "scripted/inline") return Promise.resolve(first);
        const failure = { provider: "x", model: "y", kind: "unknown_model" } as const;
        return Promise.reject(modelError("no such model", failure));
      },
    },
  });
  const before = typesOf(host.session.events);
  await expect(host.session.setModel("x/y")).rejects.toMatchObject({ code: "MODEL_FAILED" });
  expect(host.session.model).toBe("scripted/inline");
  expect(typesOf(host.session.events)).toEqual(before);
  expect(await host.prompt("go")).toMatchObject({ text: "from the first" });
  await host.session.setModel("test/other");
  expect(await host.prompt("go")).toMatchObject({ text: "from the other" });
  expect(payloadsOf(host.session.events, "MODEL_CHANGED")).toEqual([
    { model: "test/other", previous: "scripted/inline" },
  ]);
  expect(host.session.meta.model).toBe("test/other");
});

test("decisions for good are listed, survive with the session, and can be revoked", async () => {
  let asked = 0;
  const edit: Tool = {
    ...change,
    name: "edit_it",
    prepare: async (input, context) => {
      const prepared = await change.prepare(input, context);
      if (!prepared.ok) return prepared;
      const subject = { type: "files", access: "write", paths: [join(host.cwd, "a.txt")] } as const;
      return { ...prepared, preview: { ...prepared.preview, subject } };
    },
  };
  const call = { toolCalls: [{ tool: "edit_it", input: {} }] };
  await using host = await testAgent({
    steps: [call, call, { text: "a" }, call, { text: "b" }],
    tools: [edit],
    session: {
      mode: "safe",
      approvals: { request: () => ((asked += 1), Promise.resolve("allow_always")) },
    },
  });
  await host.prompt("go");
  expect(asked).toBe(1);
  const [remembered] = host.session.remembered.list();
  expect(host.session.meta.remembered).toEqual([remembered]);
  expect(await host.session.remembered.revoke(remembered?.id ?? "")).toBe(true);
  await host.prompt("again");
  expect(asked).toBe(2);
});

test("compact sums up on demand, behind what runs; a session without words has nothing to sum up", async () => {
  await using host = await testAgent({
    steps: [{ text: "first answer" }, { text: "second", expect: { lastUserIncludes: "more" } }],
  });
  expect(await host.session.compact()).toMatchObject({ compacted: false });
  const turn = host.prompt("go");
  const compacted = await host.session.compact();
  await turn;
  expect(compacted.compacted).toBe(true);
  expect(typesOf(host.session.events).indexOf("COMPACT")).toBeGreaterThan(
    typesOf(host.session.events).indexOf("ASSISTANT_MESSAGE"),
  );
  expect(payloadsOf(host.session.events, "COMPACT")).toMatchObject([{ strategy: "checkpoint" }]);
  await host.prompt("more");
  const last = JSON.stringify(host.model.calls.at(-1)?.prompt);
  expect(last).toContain("summary_of_earlier_conversation");
  await expect(host.session.compact({ signal: AbortSignal.abort() })).rejects.toMatchObject({
    code: "CORE_ABORTED",
  });
});

test("undo gives back the files of the last turn that changed some, and the model is told", async () => {
  const write = (name: string): object => ({
    toolCalls: [{ tool: "write_file", input: { path: name, content: `new ${name}` } }],
  });
  await using host = await testAgent({
    steps: [
      write("a.txt"),
      { text: "a" },
      write("b.txt"),
      { text: "b" },
      { text: "nothing" },
      { text: "c", expect: { lastUserIncludes: "took back file changes" } },
    ],
  });
  await writeFile(join(host.cwd, "b.txt"), "old b");
  await host.prompt("one");
  const seq = host.session.events.length;
  await host.prompt("two");
  await host.prompt("three");
  expect(await readFile(join(host.cwd, "b.txt"), "utf8")).toBe("new b.txt");
  const undone = await host.session.undo();
  expect(undone).toEqual({ restored: [join(host.cwd, "b.txt")], removed: [] });
  expect(await readFile(join(host.cwd, "b.txt"), "utf8")).toBe("old b");
  expect(await readFile(join(host.cwd, "a.txt"), "utf8")).toBe("new a.txt");
  expect(payloadsOf(host.session.events, "FILES_RESTORED")).toEqual([
    { to_seq: seq + 1, paths: [join(host.cwd, "b.txt")] },
  ]);
  await host.prompt("four");
  expect(await host.session.undo()).toMatchObject({ removed: [join(host.cwd, "a.txt")] });
  await expect(host.session.undo()).rejects.toMatchObject({ code: "AGENT_UNDO_REFUSED" });
});

test("watchers of a session get every event, and closing twice is fine", async () => {
  await using host = await testAgent({ steps: [{ text: "a" }] });
  const seen: number[] = [];
  const stop = host.session.subscribe(({ seq }) => void seen.push(seq));
  await host.prompt("go");
  stop();
  await host.session.setMode("manual");
  expect(seen).toEqual(host.session.events.slice(1, -1).map(({ seq }) => seq));
  await Promise.all([host.session.close(), host.session.close()]);
  expect(host.agent.sessions).toEqual([]);
  await expect(host.session.setMode("auto")).rejects.toMatchObject({
    code: "AGENT_SESSION_CLOSED",
  });
  expect(host.session.mode).toBe("manual");
});

test("the whole agent works with its real tools, rules and files", async () => {
  await using host = await testAgent({
    steps: [
      { toolCalls: [{ tool: "read_file", input: { path: "src/sum.js" } }] },
      {
        toolCalls: [
          { tool: "edit", input: { path: "src/sum.js", old_string: "a - b", new_string: "a + b" } },
        ],
      },
      {
        toolCalls: [
          {
            tool: "bash",
            input: { command: "node -e \"require('./src/sum.js')\" && echo passed" },
          },
        ],
      },
      { text: "Mended.", expect: { toolResultIncludes: "passed" } },
    ],
    permissions: { allow: ["edit(src/**)"] },
    session: { mode: "safe", approvals: { request: () => Promise.resolve("allow_once") } },
  });
  await mkdir(join(host.cwd, "src"));
  await writeFile(
    join(host.cwd, "src/sum.js"),
    "const sum = (a, b) => a - b;\nif (sum(1, 2) !== 3) process.exit(1);\n",
  );
  expect(await host.prompt("mend sum")).toMatchObject({ stopReason: "end_turn", text: "Mended." });
  expect(await readFile(join(host.cwd, "src/sum.js"), "utf8")).toContain("a + b");
  expect(
    payloadsOf(host.session.events, "APPROVAL_DECIDED").map(({ by, detail }) => [by, detail]),
  ).toEqual([
    ["mode", "safe"],
    ["rule", "allow edit(src/**)"],
    ["user", undefined],
  ]);
  expect(payloadsOf(host.session.events, "TOOL_RESULT").at(-1)).toMatchObject({
    status: "completed",
    exit_code: 0,
  });
});
