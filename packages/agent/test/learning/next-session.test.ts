import { createScriptedModel, type ScriptedModel } from "@acumen/models/testing";
import { type TempFolder, tempFolder } from "@acumen/testkit";
import { mkdir, writeFile } from "node:fs/promises";
import { afterEach, beforeEach, expect, test } from "vitest";
import {
  type CodingAgent,
  CodingAgentBuilder,
  type CodingSession,
  DEFAULT_SETTINGS,
  giveFeedback,
  MemorySessionStore,
  type Rating,
  reviewProposals,
  textBlock,
} from "../../src/index.ts";
import { saveBook, teacher } from "./support.ts";

let folder: TempFolder;
beforeEach(async () => {
  folder = await tempFolder();
});
afterEach(() => folder.remove());

const home = (): string => folder.join("home");

async function agentWith(model: ScriptedModel): Promise<CodingAgent> {
  await mkdir(folder.join("project"), { recursive: true });
  return new CodingAgentBuilder({
    home: home(),
    store: new MemorySessionStore(),
    resolveModel: () => Promise.resolve(model),
    settingsFor: () => Promise.resolve(DEFAULT_SETTINGS),
    environment: { PATH: process.env["PATH"], HOME: folder.join("user") },
  }).build();
}

/** One session of a new agent with one turn; what its model was told as system prompt. */
async function turnOf(
  text: string,
  answer: string,
  rate?: (session: CodingSession) => Promise<unknown>,
): Promise<{ readonly system: string; readonly skillIds: readonly string[] }> {
  const model = createScriptedModel({ steps: [{ text: answer }] });
  const agent = await agentWith(model);
  try {
    const session = await agent.createSession({ cwd: folder.join("project"), model: "scripted/a" });
    await agent.runtime.runPrompt(session, [textBlock(text)]);
    await rate?.(session);
    const applied = session.events.findLast(({ type }) => type === "SKILLS_APPLIED");
    const messages = model.calls[0]?.prompt ?? [];
    return {
      system: messages
        .flatMap(({ role, content }) => (role === "system" ? content : []))
        .join("\n\n"),
      skillIds: applied?.type === "SKILLS_APPLIED" ? applied.payload.skill_ids : [],
    };
  } finally {
    await agent.close();
  }
}

const rated =
  (rating: Rating, contents: readonly string[]) =>
  (session: CodingSession): Promise<unknown> =>
    giveFeedback({
      home: home(),
      workspace: { cwd: session.workspace.cwd, trusted: session.trusted },
      session,
      rating,
      learning: { mode: "suggest" },
      resolveModel: () => Promise.resolve(teacher(contents)),
      redact: session.parts.redact,
      record: (draft) => session.record(draft),
    });

test("the second session's system prompt holds the accepted skill and not the rejected one", async () => {
  await mkdir(folder.join("project"), { recursive: true });
  await writeFile(folder.join("project", "AGENTS.md"), "Use tabs.");
  const lessons = ["Read the failing test before the code.", "Delete tests that fail."];
  const first = await turnOf("Repair the tests.", "Repaired.", rated("good", lessons));
  expect(first.skillIds).toEqual([]);
  const waiting = await turnOf("Repair the tests.", "Repaired.");
  expect(waiting.system).toBe(first.system);
  await reviewProposals({ home: home(), accept: ["p-00001"], reject: ["p-00002"] });
  const second = await turnOf("Repair the tests.", "Repaired.");
  expect(second.skillIds).toEqual(["testing-00001"]);
  expect(second.system).toContain("testing-00001\ttesting\tRead the failing test before the code.");
  expect(second.system).not.toContain("Delete tests");
  expect(second.system.startsWith(`${first.system}\n\n<skillbook>`)).toBe(true);
  expect(first.system).toContain('<repository_text path="AGENTS.md">\nUse tabs.');
});

test("a bad rating is counted for the skill that the answer cited", async () => {
  await saveBook(folder.join("home", "skillbook.json"), ["Read the test.", "Read the callers."]);
  let session: CodingSession | undefined;
  await turnOf("Repair it.", "Done, as [testing-00002] says.", (opened) => {
    session = opened;
    return rated("bad", [])(opened);
  });
  const feedback = session?.events.findLast(({ type }) => type === "FEEDBACK");
  expect(feedback).toMatchObject({ turn_id: null, payload: { rating: "bad" } });
  const { system } = await turnOf("Repair it.", "Done.");
  expect(system).toMatch(/testing-00001\ttesting\tRead the test\.\t0\t0/);
  expect(system).toMatch(/testing-00002\ttesting\tRead the callers\.\t0\t1/);
});
