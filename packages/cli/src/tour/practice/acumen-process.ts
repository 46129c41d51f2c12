import { isJsonObject, parseJson } from "@acumen/core";
import { cliError } from "../../errors.ts";
import type { Stage } from "../stage.ts";
import { runChild } from "./child-run.ts";
import type { PracticePlace } from "./practice-place.ts";

type Line = Readonly<Record<string, unknown>>;

export interface AcumenRun {
  readonly code: number;
  /** Every line of stdout. */
  readonly lines: readonly Line[];
  /** The last line. */
  readonly result: Line;
}

/**
 * Runs `acumen … --json` as a process of its own, in the home and repository of the act.
 * @throws CLI_TOUR_FAILED when it prints no result; the signal's reason
 */
export async function acumen(
  { acumenCommand: { command, args: start }, signal }: Stage,
  { repository, env }: PracticePlace,
  args: readonly string[],
): Promise<AcumenRun> {
  const child = { command, args: [...start, ...withJson(args)] };
  const run = await runChild(child, { cwd: repository, env, ...(signal && { signal }) });
  const lines = run.stdout.split("\n").flatMap(lineOf);
  const result = lines.at(-1);
  if (result !== undefined) return { code: run.code, lines, result };
  const said = run.stderr.trim().split("\n").at(-1) ?? "";
  throw cliError(
    "CLI_TOUR_FAILED",
    `acumen ${args[0]} ended with exit code ${run.code} and no result. ${said}`,
  );
}

/** The same for a command without which the act cannot go on. */
export async function acumenDone(
  stage: Stage,
  place: PracticePlace,
  args: readonly string[],
): Promise<Line> {
  const { code, result } = await acumen(stage, place, args);
  if (code === 0) return result;
  const error = isJsonObject(result["error"]) ? result["error"] : {};
  const { code: name = "no code", message = "no message" } = error;
  throw cliError(
    "CLI_TOUR_FAILED",
    `acumen ${args[0]} ended with exit code ${code}: ${String(name)}: ${String(message)}`,
  );
}

function lineOf(text: string): Line[] {
  if (text.trim() === "") return [];
  const value = parseJson(text);
  return isJsonObject(value) ? [value] : [];
}

/** In front of what is handed on as it is. */
function withJson(args: readonly string[]): readonly string[] {
  const end = args.includes("--") ? args.indexOf("--") : args.length;
  return [...args.slice(0, end), "--json", ...args.slice(end)];
}
