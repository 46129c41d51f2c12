import { untilAborted } from "@acumen/core";
import { type Model, modelError } from "@acumen/models";
import { createScriptedModel } from "@acumen/models/testing";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { type CommandBench, commandBench, writing } from "./support/command-bench.ts";

test("/undo takes back the last turn that changed files", async () => {
  await using bench = await commandBench({ steps: [...writing("a.txt"), ...writing("b/c.txt")] });
  expect(await bench.say("/undo")).toBe("Nothing to undo: no file was changed in this session.");
  await bench.prompt("one");
  await bench.prompt("two");
  expect(await bench.say("/undo")).toContain("- removed `b/c.txt`\n\nWhat commands did");
  expect(bench.session.events.at(-1)).toMatchObject({ type: "FILES_RESTORED" });
  await writeFile(join(bench.cwd, "a.txt"), "mine\n");
  expect(await bench.say("/undo")).toMatch(/^AGENT_UNDO_REFUSED: .*a\.txt/);
  expect(await readFile(join(bench.cwd, "a.txt"), "utf8")).toBe("mine\n");
});

test("/undo that is cancelled while a turn runs undoes nothing, then or later", async () => {
  await using bench = await commandBench({
    steps: [...writing("a.txt"), { text: "slow ".repeat(200), delayMs: 20 }],
  });
  await bench.prompt("one");
  const running = bench.prompt("two");
  expect(bench.session.busy).toBe(true);
  const controller = new AbortController();
  const undoing = bench.say("/undo", controller.signal);
  // Long enough to stand behind the turn, which nobody can see.
  await sleep(50);
  expect(bench.session.busy).toBe(true);
  controller.abort();
  await expect(undoing).rejects.toMatchObject({ code: "CORE_ABORTED" });
  expect((await running).stopReason).toBe("end_turn");
  await bench.session.compact();
  expect(await readFile(join(bench.cwd, "a.txt"), "utf8")).toBe("x\n");
});

test("/plan shows the plan of the agent as a list of tasks", async () => {
  const entries = [
    { content: "look around", status: "completed" },
    { content: "build", status: "in_progress" },
    { content: "test", status: "pending" },
  ];
  await using bench = await commandBench({
    steps: [
      { toolCalls: [{ tool: "update_plan", input: { entries } }] },
      ...Array.from({ length: 8 }, () => ({ text: "Later." })),
    ],
  });
  expect(await bench.say("/plan")).toBe("There is no plan.");
  await bench.prompt("plan it");
  expect(await bench.say("/plan")).toBe("- [x] look around\n- [ ] (in progress) build\n- [ ] test");
});

test("/sessions lists the newest of this folder, and marks this one", async () => {
  await using bench = await commandBench({ steps: [{ text: "Hi." }] });
  const { agent, cwd, session } = bench;
  expect(await bench.say("/sessions")).toMatch(
    new RegExp(
      String.raw`^- \`${session.id}\` [\d-]+ [\d:]+ UTC, safe: \(no prompt yet\) \(this one\)$`,
    ),
  );
  await bench.prompt("the first question");
  for (let index = 0; index < 10; index += 1) {
    await (await agent.createSession({ cwd, model: "scripted/inline" })).close();
  }
  const said = await bench.say("/sessions");
  expect(said?.split("\n").filter((line) => line.startsWith("- "))).toHaveLength(10);
  expect(said).toContain("`acumen sessions list` in a terminal shows older ones.");
});

test("/compact sums up with the model, or says that there is nothing to sum up", async () => {
  await using bench = await commandBench({
    steps: Array.from({ length: 6 }, () => ({ text: "Answered." })),
  });
  expect(await bench.say("/compact")).toBe("There is nothing that could be compacted yet.");
  for (let index = 0; index < 4; index += 1) await bench.prompt(`question ${"word ".repeat(200)}`);
  expect(await bench.say("/compact")).toMatch(/was compacted: \d+ -> \d+ tokens\.$/);
  expect(bench.model.calls).toHaveLength(5);
  expect(bench.session.events.filter(({ type }) => type === "COMPACT")).toHaveLength(1);
});

/** A session with something to sum up, and a model that answers a request for a summary like this. */
async function longSession(generate: Model["generate"]): Promise<CommandBench> {
  const answers = Array.from({ length: 4 }, () => ({ text: "Answered." }));
  const model = Object.assign(createScriptedModel({ steps: answers }), { generate });
  const bench = await commandBench({ agent: { resolveModel: () => Promise.resolve(model) } });
  for (let index = 0; index < 4; index += 1) await bench.prompt(`question ${"word ".repeat(200)}`);
  return bench;
}

test("/compact whose model fails says why", async () => {
  const failure = { provider: "acme", model: "one", kind: "unavailable" } as const;
  await using bench = await longSession(() =>
    Promise.reject(modelError("Acme does not answer.", failure)),
  );
  expect(await bench.say("/compact")).toBe("MODEL_FAILED: Acme does not answer.");
});

test("/compact that is cancelled ends at once and compacts nothing", async () => {
  const controller = new AbortController();
  await using bench = await longSession(({ signal }) => {
    setTimeout(() => controller.abort(), 0);
    return untilAborted(new Promise(() => undefined), signal);
  });
  const began = performance.now();
  const compacting = bench.say("/compact", controller.signal);
  await expect(compacting).rejects.toMatchObject({ code: "CORE_ABORTED" });
  expect(performance.now() - began).toBeLessThan(3_000);
  expect(bench.session.events.map(({ type }) => type)).not.toContain("COMPACT");
});
