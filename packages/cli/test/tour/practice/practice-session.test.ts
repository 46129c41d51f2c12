import { chmod, readdir, rm, writeFile } from "node:fs/promises";
import { tempFolder, type TempFolder } from "@acumen/testkit";
import { afterEach, beforeEach, expect, test } from "vitest";
import { silentProgress } from "../../../src/terminal/progress.ts";
import { createTerminal } from "../../../src/terminal/terminal.ts";
import { type PracticePlace, preparePlace } from "../../../src/tour/practice/practice-place.ts";
import { PracticeRepository } from "../../../src/tour/practice/practice-repository.ts";
import { mendTheCode } from "../../../src/tour/practice/practice-session.ts";
import type { Stage } from "../../../src/tour/stage.ts";

let folder: TempFolder;
let shown: string;
beforeEach(async () => {
  folder = await tempFolder();
  shown = "";
});
afterEach(() => folder.remove());

function stageWith(more: Partial<Stage> = {}): Stage {
  return {
    dataset: { learn: [], heldOut: [], queues: [] },
    command: { command: "false", args: [] },
    acumenCommand: { command: "false", args: [] },
    variables: { PATH: process.env["PATH"] },
    terminal: createTerminal({ write: (part) => (shown += part) }, { color: false }),
    startProgress: silentProgress,
    root: folder.path,
    ...more,
  };
}

const repositoryAt = ({ repository: path, env }: PracticePlace): Promise<PracticeRepository> =>
  PracticeRepository.create({ path, env });

test("the session asks, mends the file and runs the test, and shows its events", async () => {
  const stage = stageWith();
  const place = await preparePlace(stage);
  const repository = await repositoryAt(place);
  expect(await repository.test()).toEqual({ exitCode: 1, passed: 1, failed: 1 });
  expect(await repository.changedFiles()).toEqual([]);
  expect(await mendTheCode(stage, place)).toMatchObject({
    stopReason: "end_turn",
    gapFree: true,
    approved: 2,
    approvedChanges: 1,
    remembered: 1,
  });
  expect(await repository.changedFiles()).toEqual(["prices.mjs"]);
  expect(await repository.test()).toEqual({ exitCode: 0, passed: 2, failed: 0 });
  for (const line of [
    "The tour answers for bash in your place: allow_always",
    "APPROVAL_DECIDED    allow_once, by user",
    "APPROVAL_DECIDED    allow_always, by remembered",
    "-  const each = people > 10 ? 9.5 : 12;",
    "+  const each = people >= 10 ? 9.5 : 12;",
    "| not ok 2 - ten people pay the price of a group",
    "| # pass 2",
  ]) {
    expect(shown).toContain(line);
  }
  for (const line of shown.split("\n")) expect(line.length, line).toBeLessThanOrEqual(80);
  expect(shown).toMatch(/^(?:[^\p{Cc}]|\n)*$/u);
});

test("the script stops the session when the tests do not fail as it expects", async () => {
  const stage = stageWith();
  const place = await preparePlace(stage);
  const repository = await repositoryAt(place);
  await writeFile(`${repository.path}/prices.test.mjs`, "");
  await expect(mendTheCode(stage, place)).rejects.toMatchObject({ code: "MODEL_SCRIPT_MISMATCH" });
  expect(await repository.changedFiles()).toEqual(["prices.test.mjs"]);
});

test("an abort in the middle of the turn ends it and leaves nothing running", async () => {
  const controller = new AbortController();
  const quiet = stageWith();
  const stage: Stage = {
    ...quiet,
    signal: controller.signal,
    terminal: {
      ...quiet.terminal,
      print: (...lines) => {
        if (lines.some((line) => line.includes("TOOL_CALL"))) controller.abort(new Error("enough"));
        quiet.terminal.print(...lines);
      },
    },
  };
  const place = await preparePlace(stage);
  const repository = await repositoryAt(place);
  await expect(mendTheCode(stage, place)).rejects.toThrow("enough");
  expect(await repository.changedFiles()).toEqual([]);
  await folder.remove();
  await expect(readdir(folder.path)).rejects.toThrow("ENOENT");
});

test("git is not touched by settings of the person, and a git that fails is named", async () => {
  const bin = folder.join("git");
  await writeFile(bin, "#!/bin/sh\necho 'fatal: no space' >&2\nexit 128\n");
  await chmod(bin, 0o755);
  const place = await preparePlace(stageWith({ variables: { PATH: folder.path } }));
  await expect(repositoryAt(place)).rejects.toMatchObject({
    code: "CLI_TOUR_FAILED",
    message: "git init failed in the practice repository: fatal: no space",
  });
});

test("without git it is a plain folder that tells its changed files all the same", async () => {
  const place = await preparePlace(stageWith());
  const repository = await repositoryAt({ ...place, env: { PATH: "" } });
  expect(await readdir(place.repository)).not.toContain(".git");
  expect(await repository.changedFiles()).toEqual([]);
  await writeFile(`${place.repository}/prices.mjs`, "");
  await writeFile(`${place.repository}/new.mjs`, "");
  await rm(`${place.repository}/lockers.mjs`);
  expect(await repository.changedFiles()).toEqual(["lockers.mjs", "new.mjs", "prices.mjs"]);
});
