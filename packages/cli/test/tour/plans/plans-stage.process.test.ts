import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { sourceCommand, tempFolder } from "@acumen/testkit";
import { expect, test } from "vitest";
import { silentProgress } from "../../../src/terminal/progress.ts";
import { createTerminal } from "../../../src/terminal/terminal.ts";
import { isLeftOut, plansFailures } from "../../../src/tour/plans/plans-result.ts";
import { orchestratePlans } from "../../../src/tour/plans/plans-stage.ts";

const BIN = new URL("../../../src/bin.ts", import.meta.url);

async function act(root: string, path: string | undefined) {
  let shown = "";
  const result = await orchestratePlans({
    dataset: { learn: [], heldOut: [], queues: [] },
    command: { command: "false", args: [] },
    acumenCommand: sourceCommand(BIN, []),
    variables: { PATH: path },
    terminal: createTerminal({ write: (part) => (shown += part) }, { color: false }),
    startProgress: silentProgress,
    root,
  });
  return { result, shown };
}

test("a plan is applied over HTTP, its events survive a lost connection, and a conflict changes nothing", async () => {
  await using folder = await tempFolder();
  const { result, shown } = await act(folder.path, process.env["PATH"]);
  expect(plansFailures(result), shown).toEqual([]);
  expect(isLeftOut(result)).toBe(false);
  const text = shown.replaceAll(/\s+/g, " ");
  for (const part of [
    "plan.created strategize queued",
    "Strategy: The comment says five hours or more",
    "The connection is cut after event",
    "checkpoint.created",
    "+ return hours >= 5 ? 0 : 2;",
    "plan.applied apply applied",
    "is apply/constrained: a conflict in lockers.mjs. The repository is as it was, byte for byte.",
  ]) {
    expect(text).toContain(part);
  }
  for (const line of shown.split("\n")) expect(line.length, line).toBeLessThanOrEqual(80);
}, 60_000);

test("where bubblewrap does not work it works the same", async () => {
  await using folder = await tempFolder();
  const programs = folder.join("programs");
  await mkdir(programs);
  await writeFile(join(programs, "bwrap"), "#!/bin/sh\nexit 1\n", { mode: 0o755 });
  const { result, shown } = await act(folder.path, `${programs}:${process.env["PATH"] ?? ""}`);
  expect(plansFailures(result), shown).toEqual([]);
  expect(result).toMatchObject({ isolation: "none" });
}, 60_000);

test("without git it says that the act was left out", async () => {
  await using folder = await tempFolder();
  const { result, shown } = await act(folder.path, folder.path);
  expect(result).toEqual({ leftOut: "plans need git, and there is none" });
  expect(plansFailures(result)).toEqual([]);
  expect(shown).toContain("Left out: plans need git, and there is none.");
});
