import { abortError } from "@acumen/core";
import { textBlock } from "../../content/content-block.ts";
import type { Redactor } from "../../redaction/redactor.ts";
import { failed } from "../define-tool.ts";
import type { ExecRequest, ExecResult } from "../operations.ts";
import type { RunContext, ToolOutcome } from "../tool.ts";
import { CommandOutput } from "./command-output.ts";

export interface CommandDeps {
  /** The whole environment of the command. */
  readonly environment: Readonly<Record<string, string>>;
  readonly redact: Redactor;
  /** Absolute path of an existing folder for whole outputs. */
  readonly outputFolder: () => Promise<string>;
  readonly processes: { exec(request: ExecRequest): Promise<ExecResult> };
}

export interface CommandRequest {
  readonly command: string;
  /** Absolute real path. */
  readonly cwd: string;
  readonly timeoutMs: number;
}

/** Runs a command to its end; a failure of the command is a value. Rejects with the abort's error. */
export async function runCommand(
  { command, cwd, timeoutMs }: CommandRequest,
  { callId, seq, signal, onOutput }: RunContext,
  { environment, redact, outputFolder, processes }: CommandDeps,
): Promise<ToolOutcome> {
  const output = new CommandOutput({
    redact,
    folder: outputFolder,
    name: `${seq}-bash`,
    ...(onOutput !== undefined && { onOutput }),
  });
  let result: ExecResult | Error;
  try {
    result = await processes.exec({
      callId,
      command,
      cwd,
      env: environment,
      timeoutMs,
      signal,
      onData: (chunk) => output.push(chunk),
    });
  } catch (error) {
    result = error instanceof Error ? error : new Error(String(error));
  }
  const { text, truncated } = await output.end();
  if (signal.aborted) throw abortError(signal);
  if (result instanceof Error)
    return failed(redact(`The command could not be run in ${cwd}: ${result.message}`));
  const ending = endingOf(result, timeoutMs);
  const shown = text.trim() === "" ? "(no output)" : text.trimEnd();
  return {
    status: ending === undefined ? "completed" : "failed",
    output: [textBlock(ending === undefined ? shown : `${shown}\n[${ending}]`)],
    ...(result.exitCode !== null && !result.timedOut && { exitCode: result.exitCode }),
    truncated: truncated || result.truncated === true,
  };
}

/** Undefined: it succeeded. */
function endingOf(
  { exitCode, signal, timedOut }: ExecResult,
  timeoutMs: number,
): string | undefined {
  if (timedOut)
    return `timed out after ${timeoutMs} ms; the command and what it started were ended, wherever that could be found. Use a longer timeout_ms, or action start for what runs on`;
  if (exitCode === 0) return undefined;
  return exitCode === null ? `ended by the signal ${signal ?? "unknown"}` : `exit code ${exitCode}`;
}
