import { textBlock } from "../../content/content-block.ts";
import type {
  BackgroundFacts,
  BackgroundProcess,
  BackgroundProcesses,
} from "../../process/background-processes.ts";
import { completed, failed } from "../define-tool.ts";
import type { ToolOutcome } from "../tool.ts";
import type { BashRequest } from "./bash-input.ts";

export type ProcessRequest = Exclude<BashRequest, { readonly action: "exec" | "start" }>;

/** Alone as input: there is no more. */
const END_OF_INPUT = "\u0004";
/** Of what a start already shows. */
const EARLY_LOG_CHARS = 4096;
const MAX_COMMAND_CHARS = 200;

/** @param cwd absolute real path */
export async function startProcess(
  command: string,
  cwd: string,
  processes: BackgroundProcesses,
): Promise<ToolOutcome> {
  try {
    const started = await processes.start(command, cwd);
    if (typeof started === "string") return failed(`The process was not started: ${started}.`);
    const { facts } = started;
    const output = started.logs(undefined, EARLY_LOG_CHARS).text.trimEnd();
    const text = `${facts.id} was started.\n${lineOf(facts)}${output === "" ? "" : `\n${output}`}`;
    return outcomeOf(facts, text);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return failed(`The process could not be started in ${cwd}: ${reason}`);
  }
}

/** Actions on processes that were started before. */
export async function processOutcome(
  request: ProcessRequest,
  processes: BackgroundProcesses,
): Promise<ToolOutcome> {
  if (request.action === "list") {
    const all = processes.list();
    const lines = all.map(lineOf);
    return completed(textBlock(lines.length === 0 ? "No process was started." : lines.join("\n")));
  }
  const process = processes.get(request.processId);
  if (process === undefined) return failed(unknownProcess(request.processId, processes));
  switch (request.action) {
    case "status":
      return completed(textBlock(lineOf(process.facts)));
    case "logs":
      return logsOf(process, request.offset, request.limit);
    case "write":
      return write(process, request.input);
    case "stop": {
      const was = process.facts.exit;
      await process.stop();
      const line = lineOf(process.facts);
      return completed(textBlock(was === undefined ? line : `It had ended already.\n${line}`));
    }
  }
}

export function unknownProcess(id: string, processes: BackgroundProcesses): string {
  const ids = processes.list().map((facts) => facts.id);
  const known = ids.length === 0 ? "none was started" : `there are ${ids.join(", ")}`;
  return `There is no process "${id}" in this session; ${known}.`;
}

function logsOf(
  process: BackgroundProcess,
  offset: number | undefined,
  limit: number,
): ToolOutcome {
  const { text, from, to, begin, end } = process.logs(offset, limit);
  const gone = begin > 0 ? `; what was before ${begin} is no longer kept` : "";
  const head = `${lineOf(process.facts)}\n[characters ${from} to ${to} of ${end}${gone}]`;
  return { ...completed(textBlock(`${head}\n${text}`)), truncated: from > 0 || to < end };
}

async function write(process: BackgroundProcess, input: string): Promise<ToolOutcome> {
  const { id, exit } = process.facts;
  if (exit !== undefined)
    return failed(`${id} takes no input: it has ended. ${lineOf(process.facts)}`);
  if (input === END_OF_INPUT) {
    process.closeInput();
    return completed(textBlock(`The input of ${id} was ended.`));
  }
  try {
    await process.write(input);
    return completed(textBlock(`${input.length} characters were written to ${id}.`));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return failed(`Nothing was written to ${id}: ${reason}.`);
  }
}

/** A process that ended at once and badly is a failed start. */
function outcomeOf({ exit }: BackgroundFacts, text: string): ToolOutcome {
  const failedAtOnce = exit !== undefined && exit.exitCode !== 0;
  return {
    status: failedAtOnce ? "failed" : "completed",
    output: [textBlock(text)],
    ...(failedAtOnce && exit.exitCode !== null && { exitCode: exit.exitCode }),
  };
}

function lineOf({ id, command, pid, exit }: BackgroundFacts): string {
  const [first = ""] = command.split("\n", 1);
  const short = first.length < command.length || first.length > MAX_COMMAND_CHARS;
  const shown = short ? `${first.slice(0, MAX_COMMAND_CHARS)}…` : command;
  return `${id} ${stateOf(exit, pid)}: ${shown}`;
}

function stateOf(exit: BackgroundFacts["exit"], pid: number): string {
  if (exit === undefined) return `runs (pid ${pid})`;
  return exit.exitCode === null
    ? `was ended by ${exit.signal ?? "a signal"}`
    : `ended with exit code ${exit.exitCode}`;
}
