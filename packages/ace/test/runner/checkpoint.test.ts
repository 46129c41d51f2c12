import { readdir, writeFile } from "node:fs/promises";
import { tempFolder } from "@acumen/testkit";
import { expect, test } from "vitest";
import { Ace } from "../../src/runner/ace.ts";
import { loadSkillbook } from "../../src/skillbook/file.ts";
import { questions, testRoles } from "./test-roles.ts";

const sizeOf = async (path: string) => (await loadSkillbook(path)).skillbook.size;

test("writes numbered checkpoints and the latest every few samples, through all epochs", async () => {
  await using folder = await tempFolder();
  const checkpointDir = folder.join("deep", "checkpoints");
  let lesson = 0;
  const roles = testRoles({
    update: () => [{ type: "ADD", section: "x", content: `Lesson ${++lesson}` }],
  });
  const ace = Ace.fromRoles(roles, { checkpointDir, checkpointInterval: 2 });
  await ace.learn(questions("a", "b", "c"), { epochs: 2 });
  expect((await readdir(checkpointDir)).toSorted()).toEqual([
    "checkpoint_2.json",
    "checkpoint_4.json",
    "checkpoint_6.json",
    "latest.json",
  ]);
  expect(await sizeOf(folder.join("deep", "checkpoints", "checkpoint_4.json"))).toBe(4);
  expect(await sizeOf(folder.join("deep", "checkpoints", "latest.json"))).toBe(6);
});

test("a failed sample does not cost its checkpoint", async () => {
  await using folder = await tempFolder();
  const roles = testRoles({
    answer: ({ question }) => {
      if (question === "b") throw new Error("no");
      return { reasoning: "", finalAnswer: "", skillIds: [] };
    },
  });
  const ace = Ace.fromRoles(roles, { checkpointDir: folder.path, checkpointInterval: 2 });
  await ace.learn(questions("a", "b"));
  expect(await sizeOf(folder.join("latest.json"))).toBe(1);
});

test("the default interval is ten samples", async () => {
  await using folder = await tempFolder();
  const ace = Ace.fromRoles(testRoles(), { checkpointDir: folder.path });
  const names = Array.from({ length: 11 }, (_, index) => `q${index}`);
  await ace.learn(questions(...names));
  expect((await readdir(folder.path)).toSorted()).toEqual(["checkpoint_10.json", "latest.json"]);
});

test("a checkpoint that cannot be written is a warning: the lesson stays learned", async () => {
  await using folder = await tempFolder();
  const warnings: unknown[] = [];
  const logger = {
    debug: () => undefined,
    info: () => undefined,
    warn: (_message: string, fields?: object) => warnings.push(fields),
    error: () => undefined,
  };
  const roles = testRoles({
    update: async ({ question }) => {
      // The folder vanishes and a file takes its place while the first sample is learned.
      await folder.remove();
      await writeFile(folder.path, "in the way");
      return [{ type: "ADD", section: "x", content: question }];
    },
  });
  const ace = Ace.fromRoles(roles, { checkpointDir: folder.path, checkpointInterval: 1, logger });
  const report = await ace.learn(questions("a"));
  expect(report).toMatchObject({ processed: 1, failed: 0, newSkillCount: 1 });
  expect(report.warnings.map((warning) => warning.code)).toEqual(["CORE_FILE_NOT_WRITABLE"]);
  expect(warnings).toEqual([{ code: "CORE_FILE_NOT_WRITABLE" }]);
});

test("a checkpoint folder that cannot exist is refused before anything is learned", async () => {
  await using folder = await tempFolder();
  await writeFile(folder.join("file"), "");
  const roles = testRoles();
  const ace = Ace.fromRoles(roles, { checkpointDir: folder.join("file", "below") });
  await expect(ace.learn(questions("a"))).rejects.toMatchObject({ code: "CORE_FILE_NOT_WRITABLE" });
  expect(roles.calls.agent).toEqual([]);
});

test("near-duplicates are merged every few samples when asked for", async () => {
  const roles = testRoles({
    update: ({ question }) => [
      {
        type: "ADD",
        section: "x",
        content: `Always check the unit of each length before you add them ${question}`,
      },
    ],
  });
  const samples = questions("up", "up please", "up now");
  const plain = Ace.fromRoles(roles);
  await plain.learn(samples);
  expect(plain.skillbook.size).toBe(3);
  const merging = Ace.fromRoles(roles, { deduplicateInterval: 3 });
  const report = await merging.learn(samples);
  expect(merging.skillbook.size).toBeLessThan(3);
  expect(report.newSkillCount).toBe(merging.skillbook.size);
});
