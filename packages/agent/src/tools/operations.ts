export type HostWritten = boolean | "unconfirmed";

/** How file tools reach a file's bytes, after paths were resolved and policy was checked. Default: the disk. */
export interface FileOperations {
  /**
   * What the host has of a file (an editor's unsaved buffer); undefined: read the disk.
   * @param path absolute real path
   */
  readBuffer?(path: string, signal: AbortSignal): Promise<string | undefined>;
  /**
   * Writes through the host; false: it wrote nothing, write to the disk. `unconfirmed`: it may have been written and nobody knows; the
   * call fails, and nothing is written again. A rejected promise fails the call: nothing was written.
   */
  writeBuffer?(path: string, content: string, signal: AbortSignal): Promise<HostWritten>;
}

export interface ExecRequest {
  /** Of the tool call that waits, for a host that shows the command with it. */
  readonly callId?: string;
  /** Run by the shell. */
  readonly command: string;
  /** Absolute real path. */
  readonly cwd: string;
  /** The whole environment of the child. */
  readonly env: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** stdout and stderr as they come, mixed; reading waits for the returned promise. */
  readonly onData: (chunk: Uint8Array) => void | Promise<void>;
}

export interface ExecResult {
  /** Null when a signal ended it. */
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly timedOut: boolean;
  /** The output is not whole: whoever ran the command had no room for it. */
  readonly truncated?: boolean;
}

/** How commands run that somebody waits for. Default: a process group of this machine; a host may show them in its terminal. */
export interface ProcessOperations {
  /**
   * Resolves when the process and its pipes have ended, or within a second of abort or timeout, with nothing of the group left.
   * Undefined: nothing was started, run it on this machine.
   */
  exec(request: ExecRequest): Promise<ExecResult | undefined>;
}

/** A program that is about to be started. */
export interface ProgramCommand {
  /** A shell command of the model's, or a server whose tools it uses. */
  readonly purpose: "command" | "mcp_server";
  readonly file: string;
  readonly args: readonly string[];
  /** Absolute. */
  readonly cwd: string;
}

/** What is started instead: the same program within boundaries. A failure fails the start. */
export type WrapCommand = (command: ProgramCommand) => {
  readonly file: string;
  readonly args: readonly string[];
};

export interface ToolOperations {
  readonly files?: FileOperations;
  readonly processes?: ProcessOperations;
  /**
   * Every program that the session starts on this machine for a model goes through it: commands that are waited for, those that run
   * beside it, and MCP servers. Not the search program, which is none of the workspace's and only lists names of files.
   */
  readonly wrapCommand?: WrapCommand;
}
