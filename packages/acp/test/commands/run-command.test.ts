import { AcumenError } from "@acumen/core";
import { expect, test } from "vitest";
import { availableCommands, runCommand } from "../../src/commands/run-command.ts";
import { schemaFault } from "../support/wire-schema.ts";
import { commandBench, writing } from "./support/command-bench.ts";

const NAMES = [
  "help",
  "status",
  "mcp",
  "model",
  "mode",
  "compact",
  "skills",
  "feedback",
  "plan",
  "sessions",
  "trust",
  "undo",
];

test("every command is told to hosts in the form of the protocol", () => {
  const commands = availableCommands();
  expect(commands.map(({ name }) => name)).toEqual(NAMES);
  for (const { name, description } of commands) {
    expect(name).toMatch(/^[a-z]+$/);
    expect(description.length).toBeGreaterThan(10);
  }
  expect(
    Object.fromEntries(commands.flatMap(({ name, input }) => (input ? [[name, input]] : []))),
  ).toEqual({
    mcp: { hint: "[pause|resume|retry NAME]" },
    model: { hint: "[ID]" },
    mode: { hint: "[auto|safe|manual]" },
    feedback: { hint: "good|bad [TEXT]" },
  });
  const update = { sessionUpdate: "available_commands_update", availableCommands: commands };
  expect(schemaFault("session/update", "Notification", { sessionId: "s", update })).toBeUndefined();
});

test("/help lists them all", async () => {
  await using bench = await commandBench();
  const said = await bench.say("/help");
  for (const name of NAMES) expect(said).toContain(`\`/${name}`);
  expect(said).toContain("`/feedback good|bad [TEXT]`: Rate the last turn");
});

test("no command asks the model, except /compact", async () => {
  // As it is by default: what ratings teach is learned by the model of the session.
  await using bench = await commandBench({
    steps: writing("a.txt"),
    learning: "suggest",
    lessons: "session",
  });
  await bench.prompt("go");
  const asked = bench.model.calls.length;
  for (const name of NAMES.filter((one) => one !== "compact")) {
    expect(await bench.say(`/${name}`)).not.toBe("");
  }
  for (const words of ["/feedback good", "/mode auto", "/model nothing", "/mcp retry nobody"]) {
    expect(await bench.say(words)).not.toBe("");
  }
  expect(bench.model.calls).toHaveLength(asked);
  expect(bench.session.events.filter(({ type }) => type === "FEEDBACK")).toHaveLength(1);
  await bench.afterwards();
  expect(bench.model.calls.length).toBeGreaterThan(asked);
});

test.each(["/nothing", "/etc/hosts", "help", "look at /help", "/", ""])(
  "%j is for the model",
  async (text) => {
    await using bench = await commandBench();
    expect(await bench.say(text)).toBeUndefined();
  },
);

test("a command that takes no words does nothing with some", async () => {
  await using bench = await commandBench({ steps: writing("a.txt") });
  await bench.prompt("go");
  expect(await bench.say("/undo the last rename only")).toContain("`/undo` stands alone");
  expect(await bench.say("/undo")).toContain("removed `a.txt`");
});

test("a failure is a text with its code, without markup", async () => {
  const refused = new AcumenError({
    code: "AGENT_STORE_FAILED",
    message: "The disk is [full](x).",
  });
  await using bench = await commandBench({ hosted: { models: () => Promise.reject(refused) } });
  expect(await bench.say("/model")).toBe(String.raw`AGENT_STORE_FAILED: The disk is [full\](x).`);
});

test("a failure inside is told without its text, which the log has", async () => {
  const lines: unknown[] = [];
  const log = (...line: readonly unknown[]): void => void lines.push(line);
  await using bench = await commandBench({
    agent: { logger: { debug: log, info: log, warn: log, error: log } },
    hosted: { models: () => Promise.reject(new Error("secret inside")) },
  });
  const said = await bench.say("/model");
  expect(said).toContain("INTERNAL: `/model` failed inside.");
  expect(said).not.toContain("secret inside");
  expect(JSON.stringify(lines)).toContain("secret inside");
});

test("an abort is the one failure that is thrown", async () => {
  await using bench = await commandBench({
    hosted: { models: () => new Promise(() => undefined) },
  });
  const controller = new AbortController();
  const waiting = bench.say("/model", controller.signal);
  controller.abort();
  await expect(waiting).rejects.toMatchObject({ code: "CORE_ABORTED" });
  for (const name of [
    "compact",
    "undo",
    "sessions",
    "skills",
    "trust",
    "mcp",
    "feedback good",
    "model a/b",
  ]) {
    const { hosted, session } = bench;
    const signal = AbortSignal.abort();
    const context = {
      hosted,
      session,
      models: hosted.models,
      setMode: () => Promise.resolve(),
      signal,
      afterwards: () => undefined,
    };
    await expect(runCommand(`/${name}`, context), name).rejects.toMatchObject({
      code: "CORE_ABORTED",
    });
  }
});

test("nothing that a command says holds a secret or a control character", async () => {
  const secret = "the-key-that-nobody-may-see";
  const steps = [
    {
      toolCalls: [
        {
          tool: "update_plan",
          input: { entries: [{ content: `use ${secret}\u001B[2J now`, status: "pending" }] },
        },
      ],
    },
    { text: "Done." },
  ];
  await using bench = await commandBench({
    steps,
    agent: { secrets: [secret] },
    models: [{ id: `acme/${secret}`, name: `\u202E${secret}` }],
  });
  await bench.prompt(`remember ${secret}`);
  for (const name of NAMES) {
    const said = await bench.say(`/${name}`);
    expect(said, name).not.toContain(secret);
    expect(said, name).not.toMatch(/(?![\n\t])[\p{Cc}\u202E]/u);
  }
  expect(await bench.say("/plan")).toContain("[hidden]");
  expect(await bench.say(`/model acme/${secret}x`)).not.toContain(secret);
  expect(await bench.say(`/mode ${secret}`)).not.toContain(secret);
});
