import { spawn } from "node:child_process";
import { AcumenError, throwIfAborted } from "@acumen/core";
import { cliError } from "../../errors.ts";
import type { ServerCommand } from "../server-command.ts";

export interface ChildOptions {
  readonly cwd: string;
  /** The whole environment of the child. */
  readonly env: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

export interface ChildRun {
  /** 128 and more for an end by a signal. */
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

const TIME_LIMIT_MS = 60_000;
const GRACE_MS = 1_500;
const OUTPUT_CHARS = 4 * 1024 * 1024;
const ENDED_BY_SIGNAL = 128;

/**
 * Runs a command with an empty stdin and waits for its end, also after an abort: then it is asked to end, and killed when
 * it does not.
 * @throws CLI_TOUR_FAILED when it cannot be started or takes longer than a minute; the signal's reason after an abort
 */
export async function runChild(
  { command, args }: ServerCommand,
  { cwd, env, signal }: ChildOptions,
): Promise<ChildRun> {
  throwIfAborted(signal);
  const child = spawn(command, [...args], { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
  const output = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const) {
    child[name].setEncoding("utf8").on("data", (text: string) => {
      output[name] = `${output[name]}${text}`.slice(-OUTPUT_CHARS);
    });
  }
  const end = (): void => {
    child.kill("SIGTERM");
    setTimeout(() => child.kill("SIGKILL"), GRACE_MS).unref();
  };
  let late = false;
  const timer = setTimeout(() => {
    late = true;
    end();
  }, TIME_LIMIT_MS);
  signal?.addEventListener("abort", end, { once: true });
  try {
    const code = await new Promise<number>((resolve, reject) => {
      child.once("error", reject);
      child.once("close", (exitCode) => resolve(exitCode ?? ENDED_BY_SIGNAL));
    });
    throwIfAborted(signal);
    if (late) throw failed(command, `it took longer than ${TIME_LIMIT_MS / 1_000} s`);
    return { code, ...output };
  } catch (cause) {
    throwIfAborted(signal);
    if (AcumenError.isInstance(cause)) throw cause;
    throw failed(command, cause instanceof Error ? cause.message : String(cause));
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", end);
  }
}

function failed(command: string, reason: string): AcumenError {
  return cliError("CLI_TOUR_FAILED", `The tour could not run ${command}: ${reason}.`);
}
