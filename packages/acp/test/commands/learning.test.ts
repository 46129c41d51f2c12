import { saveSkillbook, Skillbook } from "@acumen/ace";
import { ProposalStore } from "@acumen/agent";
import { join } from "node:path";
import { expect, test } from "vitest";
import { commandBench } from "./support/command-bench.ts";

async function saveSkill(home: string, content: string): Promise<void> {
  const book = new Skillbook();
  book.apply([{ type: "ADD", section: "habits", content }], { origin: "session" });
  await saveSkillbook(book, join(home, "skillbook.json"));
}

test("/skills shows the skills of the last turn, with what their books say", async () => {
  await using bench = await commandBench({ steps: [{ text: "Done." }] });
  await saveSkill(bench.home, "Look twice, <b>always</b>.\u001B[2J");
  expect(await bench.say("/skills")).toBe("The last turn was given no skills.");
  await bench.prompt("go");
  expect(await bench.say("/skills")).toMatch(/^- `habits-00001`: Look twice, \\<b>always\\<\/b>\./);
  await saveSkillbook(new Skillbook(), join(bench.home, "skillbook.json"));
  expect(await bench.say("/skills")).toBe("- `habits-00001`: (no longer in the book)");
});

test("/feedback records the rating of the last turn, which teaches something afterwards", async () => {
  await using bench = await commandBench({ steps: [{ text: "Forty-two [habits-00001]." }] });
  await saveSkill(bench.home, "Look twice.");
  expect(await bench.say("/feedback good")).toMatch(/^AGENT_FEEDBACK_INVALID: /);
  await bench.prompt("what is the answer?");
  const said = await bench.say("/feedback Good well\nsaid");
  expect(said).toMatch(/^Rated the last turn good\./);
  expect(said).toContain("`acumen skillbook review` in a terminal accepts or refuses");
  const rated = () => bench.session.events.filter(({ type }) => type === "FEEDBACK");
  expect(rated()).toMatchObject([{ payload: { rating: "good", text: "well\nsaid" } }]);
  const store = new ProposalStore(bench.home);
  expect((await store.read()).proposals).toEqual([]);
  await bench.afterwards();
  expect((await store.read()).proposals).toHaveLength(1);
  expect(rated()).toHaveLength(1);
});

test("what goes wrong with learning is said in the next turn", async () => {
  await using bench = await commandBench({ steps: [{ text: "Done." }], lessons: "session" });
  await bench.prompt("go");
  await bench.say("/feedback bad");
  await bench.afterwards();
  expect(bench.session.events.at(-1)).toMatchObject({
    type: "ERROR",
    payload: { source: "learning" },
  });
});

test("/feedback learns nothing where that is switched off, and records the rating all the same", async () => {
  await using bench = await commandBench({ steps: [{ text: "Done." }], learning: "off" });
  await bench.prompt("go");
  expect(await bench.say("/feedback bad too short")).toContain("`learning.mode` is `off`");
  expect(bench.session.events.at(-1)).toMatchObject({
    type: "FEEDBACK",
    payload: { rating: "bad", text: "too short" },
  });
});

test.each(["/feedback", "/feedback great", "/feedback text good"])("%s says how", async (text) => {
  await using bench = await commandBench();
  expect(await bench.say(text)).toContain("Say `/feedback good` or `/feedback bad`");
});

test("/feedback rates no turn that runs, and none where ratings are not kept", async () => {
  await using bench = await commandBench({
    steps: [{ text: "One." }, { text: "slow ".repeat(20), delayMs: 10 }],
  });
  await bench.prompt("one");
  const running = bench.prompt("two");
  expect(await bench.say("/feedback good")).toContain("A turn is running.");
  await running;
  const { rate: _rate, ...hosted } = bench.hosted;
  const { runCommand } = await import("../../src/commands/run-command.ts");
  const { signal } = new AbortController();
  const outcome = await runCommand("/feedback good", {
    hosted,
    session: bench.session,
    models: hosted.models,
    setMode: () => Promise.resolve(),
    signal,
    afterwards: () => undefined,
  });
  expect(outcome?.text).toBe("Turns are not rated here.");
});
