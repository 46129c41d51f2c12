import { resolve } from "node:path";
import type { SessionMode } from "@acumen/agent";
import type { ThoughtLevel } from "@acumen/models/catalogue";
import { type Command, InvalidArgumentError, Option } from "commander";
import { MAX_STEPS, MODE_NAMES, THOUGHT_LEVEL_NAMES } from "../settings/session-names.ts";
import { addSettingFlags, type SettingFlagValues } from "./setting-flags.ts";

/** What the commands that hold a coding session share. */
export interface SessionFlagValues extends SettingFlagValues {
  readonly model?: string;
  readonly mode?: SessionMode;
  readonly thoughtLevel?: ThoughtLevel;
  readonly trustOnce?: boolean;
  /** Absolute. */
  readonly cwd?: string;
  readonly continue?: boolean;
  readonly session?: string;
  readonly maxSteps?: number;
}

export function addSessionFlags(command: Command): Command {
  return addSettingFlags(
    command
      .option("--model <id>", "the model, such as anthropic/claude-sonnet-4-5")
      .addOption(thoughtLevelOption())
      .addOption(new Option("--mode <mode>", "what runs without asking").choices(MODE_NAMES))
      .option("--trust-once", "trust this workspace for this run alone")
      .option("--cwd <dir>", "the workspace; default the current folder", (path) => resolve(path))
      .option("--continue", "go on with the newest session of the workspace")
      .option("--session <id>", "go on with this session")
      .option("--max-steps <n>", "most model calls of a turn", maxStepsOf),
  );
}

export function thoughtLevelOption(): Option {
  return new Option(
    "--thought-level <level>",
    "how much the model thinks, where it can be told",
  ).choices(THOUGHT_LEVEL_NAMES);
}

function maxStepsOf(text: string): number {
  const { least, most } = MAX_STEPS;
  if (/^\d+$/.test(text) && Number(text) >= least && Number(text) <= most) return Number(text);
  throw new InvalidArgumentError(`It must be a whole number from ${least} to ${most}.`);
}
