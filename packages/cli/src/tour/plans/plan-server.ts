import { type ChildProcess, spawn } from "node:child_process";
import { throwIfAborted } from "@acumen/core";
import { cliError } from "../../errors.ts";
import { type PracticePlace, scriptedModel } from "../practice/practice-place.ts";
import type { Stage } from "../stage.ts";
import { keepTail, type TextTail } from "../text-tail.ts";

/** More than a graceful end takes; then the server is killed. */
const GRACE_MS = 7_000;
const START_MS = 30_000;

/** `acumen serve` as a child process that keeps everything in memory. */
export class PlanServer {
  readonly pid: number;
  readonly url: string;
  /** Bearer token, printed once by the server. */
  readonly token: string;
  readonly #child: ChildProcess;
  readonly #exited: Promise<number | null>;

  private constructor(
    child: ChildProcess,
    exited: Promise<number | null>,
    { url, token }: { readonly url: string; readonly token: string },
  ) {
    this.pid = child.pid ?? 0;
    this.url = url;
    this.token = token;
    this.#child = child;
    this.#exited = exited;
  }

  /**
   * The caller ends it with {@link close}, whatever happens.
   * @throws CLI_TOUR_FAILED with its last words; the signal's reason
   */
  static async start(
    { acumenCommand, signal }: Stage,
    { repository, env }: PracticePlace,
  ): Promise<PlanServer> {
    throwIfAborted(signal);
    const { command, args } = acumenCommand;
    const model = scriptedModel("change-by-plan");
    const own = ["serve", "--ephemeral", "--port", "0", "--project", repository, "--model", model];
    const child = spawn(command, [...args, ...own], {
      cwd: repository,
      env,
      stdio: ["ignore", "ignore", "pipe"],
    });
    const log = keepTail(child.stderr);
    const exited = new Promise<number | null>((resolve) => {
      child.once("error", () => resolve(null));
      child.once("close", (code) => resolve(code));
    });
    try {
      return new PlanServer(child, exited, await greeting(child, exited, log, signal));
    } catch (error) {
      await ended(child, exited);
      throwIfAborted(signal);
      throw error;
    }
  }

  /** Asks it to end, as a service manager does, and waits for that. @returns its exit code; null after a kill */
  close(): Promise<number | null> {
    return ended(this.#child, this.#exited);
  }
}

/** What the server says when it listens: its address and the first token. */
async function greeting(
  child: ChildProcess,
  exited: Promise<number | null>,
  log: TextTail,
  signal: AbortSignal | undefined,
): Promise<{ readonly url: string; readonly token: string }> {
  const limit = AbortSignal.timeout(START_MS);
  const end = signal === undefined ? limit : AbortSignal.any([signal, limit]);
  let said = "";
  const heard = new Promise<{ readonly url: string; readonly token: string }>((resolve) => {
    child.stderr?.on("data", (chunk: Buffer) => {
      said += chunk.toString("utf8");
      const [, url] = /serving 1 project at (\S+)\n/.exec(said) ?? [];
      const [, token] = /ACUMEN_TOKEN=(\S+)\n/.exec(said) ?? [];
      if (url !== undefined && token !== undefined) resolve({ url, token });
    });
  });
  const failed = new Promise<never>((_resolve, reject) => {
    const reason = (text: string): void =>
      reject(cliError("CLI_TOUR_FAILED", `acumen serve ${text}. ${log.lastLine()}`));
    void exited.then((code) => reason(`ended with exit code ${code}`));
    end.addEventListener("abort", () => reason("did not start in time"), { once: true });
  });
  return Promise.race([heard, failed]);
}

async function ended(child: ChildProcess, exited: Promise<number | null>): Promise<number | null> {
  child.kill("SIGTERM");
  const timer = setTimeout(() => child.kill("SIGKILL"), GRACE_MS);
  try {
    return await exited;
  } finally {
    clearTimeout(timer);
  }
}
