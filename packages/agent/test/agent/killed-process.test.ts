import { createScriptedModel } from "@acumen/models/testing";
import { tempFolder } from "@acumen/testkit";
import { cp, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import {
  type CodingAgent,
  CodingAgentBuilder,
  DEFAULT_SETTINGS,
  FileSessionStore,
  textBlock,
} from "../../src/index.ts";

function agentAt(home: string, steps: readonly unknown[]): CodingAgent {
  const model = createScriptedModel({ steps });
  return new CodingAgentBuilder({
    home,
    store: new FileSessionStore({ home }),
    resolveModel: () => Promise.resolve(model),
    settingsFor: () => Promise.resolve(DEFAULT_SETTINGS),
    environment: { PATH: process.env["PATH"] },
    trustOnce: true,
  }).build();
}

/** The locks of this process, which lives: a dead one's would be taken over. */
const LOCK = /\/lock\.\d+$/;

async function logOf(home: string): Promise<string> {
  const entries = await readdir(home, { recursive: true });
  return join(home, entries.find((entry) => entry.endsWith("events.jsonl")) ?? "");
}

test("what is on the disk at any moment of a turn opens, is consistent, and goes on", async () => {
  await using folder = await tempFolder();
  const home = folder.join("home");
  const cwd = folder.join("project");
  await mkdir(cwd);
  const agent = agentAt(home, [
    {
      text: "I write.",
      toolCalls: [
        { tool: "write_file", input: { path: "a.txt", content: "a" } },
        { tool: "bash", input: { command: "cat a.txt" } },
      ],
    },
    { text: "Done." },
  ]);
  const session = await agent.createSession({ cwd, model: "scripted/inline", mode: "auto" });
  const copies: string[] = [];
  const stop = session.subscribe(async () => {
    const copy = folder.join(`copy-${copies.length}`);
    copies.push(copy);
    await cp(home, copy, { recursive: true, filter: (path) => !LOCK.test(path) });
  });
  await agent.runtime.runPrompt(session, [textBlock("go")]);
  stop();
  await agent.close();
  expect(copies.length).toBeGreaterThan(10);

  await Promise.all(
    copies.map(async (copy, index) => {
      const log = await logOf(copy);
      const whole = await readFile(log);
      // Every other copy lost the end of its last record.
      const torn = index % 2 === 1;
      if (torn) await writeFile(log, whole.subarray(0, -7));
      const next = agentAt(copy, [{ text: "Going on." }]);
      const opened = await next.openSession(session.id);
      const stored = session.events.slice(0, index + (torn ? 1 : 2));
      expect(opened.events.slice(0, stored.length)).toEqual(stored);
      const result = await next.runtime.runPrompt(opened, [textBlock("go on")]);
      expect(result).toMatchObject({ stopReason: "end_turn", text: "Going on." });
      const seqs = opened.events.map(({ seq }) => seq);
      expect(seqs).toEqual(seqs.toSorted((a, b) => a - b));
      expect(new Set(seqs).size).toBe(seqs.length);
      await next.close();
    }),
  );
});
