import { abortError, throwIfAborted } from "@acumen/core";
import { type ChildProcess, spawn } from "node:child_process";
import { constants } from "node:fs";
import { access } from "node:fs/promises";
import { delimiter, isAbsolute, join } from "node:path";
import type { Readable } from "node:stream";
import { PlanError, ConfigurationError } from "../errors/domain-error.ts";
import {
  type GitSetting,
  OWN_SETTINGS,
  overridesOf,
  SAFE_SETTINGS,
  settingVariables,
} from "./git-settings.ts";

/** `merge-tree --write-tree` came with it. */
const LEAST: readonly [number, number] = [2, 38];
const MAX_BYTES = 256 * 1024 * 1024;
const MAX_ERROR_BYTES = 16 * 1024;
const MAX_SAID_CHARS = 500;
const FILE_SETTINGS = String.raw`^core\.(autocrlf|eol|filemode|symlinks|ignorecase)$`;
const PLAIN_VALUE = /^(?:true|false|yes|no|on|off|0|1|input|lf|crlf|native)$/i;

export interface GitCall {
  /** Of the repository; never searched for. */
  readonly gitDir: string;
  /** Whether only this program ever writes its configuration; everything else in a repository's configuration is put out of force. */
  readonly own: boolean;
  readonly workTree?: string;
  readonly indexFile?: string;
  readonly input?: string | Uint8Array;
  /** A descriptor that is read or written instead. */
  readonly inputFile?: number;
  readonly outputFile?: number;
  /** Absent: runs to its end. */
  readonly signal?: AbortSignal;
  /** Exit codes that are an answer. Default: 0 alone. */
  readonly answers?: readonly number[];
  /** More output ends it. Default 256 MiB, which is a failure. */
  readonly maxBytes?: number;
  readonly variables?: Readonly<Record<string, string | undefined>>;
  /** Go before all others. */
  readonly settings?: readonly GitSetting[];
}

export interface GitResult {
  readonly exitCode: number;
  readonly stdout: Buffer;
  readonly stderr: string;
  /** There was more than `maxBytes`. */
  readonly truncated: boolean;
}

interface GitCommandOptions {
  /** Where `PATH` and the user's name are taken from; nothing else of it reaches git. */
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** The only place that starts git: nothing that a repository names runs, nothing is asked for, nothing is fetched. */
export class GitCommand {
  readonly #environment: Readonly<Record<string, string | undefined>>;
  #program: Promise<string> | undefined;

  constructor({ environment }: GitCommandOptions) {
    this.#environment = environment;
  }

  /**
   * The program, checked once.
   * @throws ConfigurationError when there is none, or an old one
   */
  program(): Promise<string> {
    this.#program ??= this.#find().catch((error: unknown) => {
      // It may be installed meanwhile.
      this.#program = undefined;
      throw error;
    });
    return this.#program;
  }

  /** @throws PlanError for another exit code than the expected ones; the abort's error */
  async run(args: readonly string[], call: GitCall): Promise<GitResult> {
    throwIfAborted(call.signal);
    const program = await this.program();
    const settings = call.own ? OWN_SETTINGS : await this.#overrides(program, call);
    return this.#checked(args, call, await this.#start(program, args, call, settings));
  }

  /** Its output without the line end. */
  async text(args: readonly string[], call: GitCall): Promise<string> {
    const { stdout } = await this.run(args, call);
    return stdout.toString("utf8").replace(/\n$/, "");
  }

  /** Whom the user's own configuration names; read alone, so that nothing of it acts. */
  async identity(
    gitDir: string,
  ): Promise<{ readonly name: string; readonly email: string } | undefined> {
    const found = await this.#read(gitDir, String.raw`^user\.(name|email)$`);
    const [name = "", email = ""] = ["user.name", "user.email"].map((key) => found.get(key));
    return name === "" || email === "" ? undefined : { name, email };
  }

  /** How the user's own configuration has files written and compared; plain values only. */
  async fileSettings(gitDir: string): Promise<readonly GitSetting[]> {
    const found = await this.#read(gitDir, FILE_SETTINGS);
    return [...found].filter(([, value]) => PLAIN_VALUE.test(value));
  }

  /** Read alone, so that nothing of it acts; of a name that is set more than once the last value. */
  async #read(gitDir: string, pattern: string): Promise<ReadonlyMap<string, string>> {
    const program = await this.program();
    const call = { gitDir, own: false, variables: this.#personal() };
    const args = ["config", "-z", "--get-regexp", pattern];
    const { stdout } = await this.#start(program, args, call, []);
    const found = new Map<string, string>();
    for (const entry of stdout.toString("utf8").split("\0")) {
      const [key = "", ...value] = entry.split("\n");
      if (key !== "") found.set(key, value.join(" ").trim());
    }
    return found;
  }

  /** The settings that name programs, read anew each time: they may change. */
  async #overrides(program: string, { gitDir, workTree }: GitCall): Promise<readonly GitSetting[]> {
    const args = ["config", "--list", "--name-only", "-z"];
    const call = { gitDir, own: false, ...(workTree !== undefined && { workTree }) };
    const listed = this.#checked(args, call, await this.#start(program, args, call, []));
    return overridesOf(listed.stdout.toString("utf8").split("\0"));
  }

  #checked(args: readonly string[], call: GitCall, result: GitResult): GitResult {
    if (result.truncated && call.maxBytes === undefined) {
      throw new PlanError(`git ${args[0] ?? ""} gave more than ${MAX_BYTES} bytes.`);
    }
    if (result.truncated || (call.answers ?? [0]).includes(result.exitCode)) return result;
    // Where a repository of ours lies is nobody's business.
    const place = call.workTree ?? (call.own ? "a sandbox" : call.gitDir);
    const said = call.own ? result.stderr.replaceAll(call.gitDir, "the sandbox") : result.stderr;
    const isFull = /No space left on device|Disk quota exceeded/.test(said);
    const remedy = isFull ? " Make room on that disk, and try again." : "";
    throw new PlanError(`git ${args[0] ?? ""} failed in ${place}: ${oneLine(said)}${remedy}`, {
      details: { exit_code: result.exitCode },
      retryable: isFull,
    });
  }

  async #start(
    program: string,
    args: readonly string[],
    call: GitCall,
    settings: readonly GitSetting[],
  ): Promise<GitResult> {
    const { signal, maxBytes = MAX_BYTES } = call;
    throwIfAborted(signal);
    const child = spawn(program, args, {
      cwd: call.workTree ?? call.gitDir,
      env: this.#variables(call, settings),
      // A group of its own: an interrupt of the terminal must not end it half way.
      detached: true,
      stdio: [call.inputFile ?? "pipe", call.outputFile ?? "pipe", "pipe"],
    });
    const end = (): void => killGroup(child);
    signal?.addEventListener("abort", end, { once: true });
    try {
      const exit = exitOf(child, program);
      child.stdin?.on("error", () => undefined);
      child.stdin?.end(call.input ?? "");
      const [stdout, stderr, exitCode] = await Promise.all([
        collect(child.stdout, maxBytes, end),
        collect(child.stderr, MAX_ERROR_BYTES, () => undefined),
        exit,
      ]);
      if (signal?.aborted === true) throw abortError(signal);
      return {
        exitCode,
        stdout: stdout.bytes,
        stderr: stderr.bytes.toString("utf8"),
        truncated: stdout.truncated,
      };
    } finally {
      signal?.removeEventListener("abort", end);
    }
  }

  #variables(call: GitCall, settings: readonly GitSetting[]): NodeJS.ProcessEnv {
    return {
      PATH: this.#folders().join(delimiter),
      HOME: "/nonexistent",
      LC_ALL: "C",
      TZ: "UTC",
      GIT_CONFIG_NOSYSTEM: "1",
      GIT_CONFIG_GLOBAL: "/dev/null",
      GIT_ATTR_NOSYSTEM: "1",
      GIT_TERMINAL_PROMPT: "0",
      GIT_OPTIONAL_LOCKS: "0",
      GIT_NO_REPLACE_OBJECTS: "1",
      GIT_GRAFT_FILE: "/dev/null",
      GIT_NO_LAZY_FETCH: "1",
      GIT_LITERAL_PATHSPECS: "1",
      GIT_ALLOW_PROTOCOL: "none",
      GIT_ASKPASS: "false",
      SSH_ASKPASS: "false",
      GIT_SSH_COMMAND: "false",
      GIT_EDITOR: "false",
      GIT_PAGER: "cat",
      GIT_MERGE_AUTOEDIT: "no",
      GIT_DIR: call.gitDir,
      ...(call.workTree !== undefined && { GIT_WORK_TREE: call.workTree }),
      ...(call.indexFile !== undefined && { GIT_INDEX_FILE: call.indexFile }),
      ...settingVariables([...SAFE_SETTINGS, ...settings, ...(call.settings ?? [])]),
      ...call.variables,
    };
  }

  /** Where git finds the user's own configuration, for reading a name out of it. */
  #personal(): Readonly<Record<string, string | undefined>> {
    const { HOME: home, XDG_CONFIG_HOME: config } = this.#environment;
    return {
      HOME: home ?? "/nonexistent",
      XDG_CONFIG_HOME: config,
      GIT_CONFIG_GLOBAL: this.#environment["GIT_CONFIG_GLOBAL"],
    };
  }

  /** Relative ones would be searched in the repository. */
  #folders(): readonly string[] {
    return (this.#environment["PATH"] ?? "")
      .split(delimiter)
      .filter((folder) => isAbsolute(folder));
  }

  async #find(): Promise<string> {
    for (const folder of this.#folders()) {
      const program = join(folder, "git");
      const runs = await access(program, constants.X_OK).then(
        () => true,
        () => false,
      );
      if (runs) return await this.#checkVersion(program);
    }
    throw new ConfigurationError(
      "There is no git in the folders of PATH; plans need git 2.38 or newer. Install it.",
    );
  }

  async #checkVersion(program: string): Promise<string> {
    const { stdout } = await this.#start(program, ["version"], { gitDir: "/", own: true }, []);
    const said = stdout.toString("utf8").trim();
    const [, major = "0", minor = "0"] = /(\d+)\.(\d+)/.exec(said) ?? [];
    const isOld =
      Number(major) < LEAST[0] || (Number(major) === LEAST[0] && Number(minor) < LEAST[1]);
    if (!isOld) return program;
    throw new ConfigurationError(
      `${program} is ${JSON.stringify(said.slice(0, 80))}; plans need git ${LEAST.join(".")} or newer. Install it.`,
    );
  }
}

function killGroup(child: ChildProcess): void {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  try {
    process.kill(-child.pid, "SIGKILL");
  } catch {
    // It has ended.
  }
}

function exitOf(child: ChildProcess, program: string): Promise<number> {
  return new Promise((resolve, reject) => {
    child.once("error", (cause) => {
      reject(
        new ConfigurationError(`${program} could not be started: ${cause.message}`, { cause }),
      );
    });
    child.once("close", (code) => resolve(code ?? -1));
  });
}

async function collect(
  stream: Readable | null,
  maxBytes: number,
  onMore: () => void,
): Promise<{ readonly bytes: Buffer; readonly truncated: boolean }> {
  if (stream === null) return { bytes: Buffer.alloc(0), truncated: false };
  const chunks: Buffer[] = [];
  let size = 0;
  await new Promise<void>((resolve) => {
    stream.on("data", (chunk: Buffer) => {
      if (size <= maxBytes) chunks.push(chunk);
      size += chunk.length;
      if (size > maxBytes) onMore();
    });
    stream.once("error", () => resolve());
    stream.once("close", () => resolve());
  });
  return { bytes: Buffer.concat(chunks).subarray(0, maxBytes), truncated: size > maxBytes };
}

/** The repository wrote some of it. What ended it stands last, behind hints and warnings. */
function oneLine(text: string): string {
  const line = text
    .replace(/^hint:.*$/gmu, "")
    .replace(/\p{C}+/gu, " ")
    .trim();
  if (line === "") return "it said nothing";
  return line.length > MAX_SAID_CHARS ? `… ${line.slice(-MAX_SAID_CHARS)}` : line;
}
