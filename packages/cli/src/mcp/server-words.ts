import { resolve } from "node:path";
import type { ConflictPolicy, McpTransport } from "@acumen/agent";
import { cliError } from "../errors.ts";

/** What the command line says about a server beside its command or address. */
export interface ServerFlags {
  readonly transport?: McpTransport;
  /** `NAME=VALUE`. */
  readonly env?: readonly string[];
  /** `NAME: VALUE`. */
  readonly header?: readonly string[];
  readonly cwd?: string;
  /** Milliseconds. */
  readonly timeout?: number;
  /** Milliseconds. */
  readonly startupTimeout?: number;
  readonly onConflict?: ConflictPolicy;
}

const ADDRESS = /^https?:\/\//i;
const OTHER_SCHEME = /^(?!https?:)[a-z][a-z0-9+.-]*:\/\//i;

/**
 * A definition in the form of the file, from what stands on the command line. Messages never repeat a value of `--env` or
 * `--header`: it may be a secret.
 * @param words a command with its arguments, or one address
 * @throws CLI_USAGE
 */
export function definitionOf(
  words: readonly string[],
  flags: ServerFlags,
): Readonly<Record<string, unknown>> {
  const [first = "", ...rest] = words;
  if (first === "") {
    throw usage("Say how to start the server (`-- COMMAND ARGS…`), or its address.");
  }
  if (flags.transport === undefined && OTHER_SCHEME.test(first)) {
    throw usage(
      "An address begins with http:// or https://. A command that looks like an address needs --transport stdio.",
    );
  }
  const isRemote =
    flags.transport === undefined ? ADDRESS.test(first) : flags.transport !== "stdio";
  return {
    ...(isRemote ? remote(first, rest, flags) : local(first, rest, flags)),
    ...(flags.timeout !== undefined && { timeoutMs: flags.timeout }),
    ...(flags.startupTimeout !== undefined && { startupTimeoutMs: flags.startupTimeout }),
    ...(flags.onConflict !== undefined && { onConflict: flags.onConflict }),
  };
}

function local(
  command: string,
  args: readonly string[],
  { env = [], header = [], cwd }: ServerFlags,
): object {
  if (header.length > 0) {
    throw usage("--header is for servers with an address. Give a command its secrets with --env.");
  }
  return {
    command,
    args,
    ...(env.length > 0 && { env: pairs(env, "--env", "=") }),
    ...(cwd !== undefined && { cwd: resolve(cwd) }),
  };
}

function remote(url: string, rest: readonly string[], flags: ServerFlags): object {
  const { transport = "http", env = [], header = [], cwd } = flags;
  if (!ADDRESS.test(url)) {
    throw usage(`--transport ${transport} takes an address that begins with http:// or https://.`);
  }
  if (rest.length > 0) throw usage("Behind an address nothing else is expected.");
  if (env.length > 0) {
    throw usage(
      "--env is for servers that are started here. Give an address its secrets with --header.",
    );
  }
  if (cwd !== undefined) throw usage("--cwd is for servers that are started here.");
  return {
    type: transport,
    url,
    ...(header.length > 0 && { headers: pairs(header, "--header", ":") }),
  };
}

/** A later one of the same name wins. */
function pairs(texts: readonly string[], flag: string, sign: string): Record<string, string> {
  return Object.fromEntries(
    texts.map((text, index) => {
      const at = text.indexOf(sign);
      const name = text.slice(0, Math.max(at, 0)).trim();
      if (name === "") {
        const form = sign === "=" ? "NAME=VALUE" : '"NAME: VALUE"';
        throw usage(`${flag} takes ${form}; number ${index + 1} of them is something else.`);
      }
      const value = text.slice(at + 1);
      return [name, sign === "=" ? value : value.trim()];
    }),
  );
}

function usage(message: string): Error {
  return cliError("CLI_USAGE", `${message} Try \`acumen mcp add --help\`.`);
}

/** What stands on the command line of `acumen mcp add` beside {@link ServerFlags}. */
export interface AddWords extends ServerFlags {
  readonly enable?: boolean;
  /** Absolute. */
  readonly workspace?: string;
  readonly json?: boolean;
}

/** What stands for a value that is not repeated. */
const WITHHELD = "…";

/**
 * The line that would do it again with names qualified; values of `--env` and `--header` that are no variables stay out of it:
 * `toFill` says whether there are any.
 */
export function againQualified(
  name: string,
  words: readonly string[],
  flags: AddWords,
): { readonly line: string; readonly toFill: boolean } {
  const { transport, env = [], header = [], cwd, timeout, startupTimeout } = flags;
  const given = [
    ...env.map((text) => ["--env", withoutValue(text, "=")] as const),
    ...header.map((text) => ["--header", withoutValue(text, ":")] as const),
  ];
  const options = [
    ...(transport === undefined ? [] : ["--transport", transport]),
    ...given.flat(),
    ...(cwd === undefined ? [] : ["--cwd", cwd]),
    ...(timeout === undefined ? [] : ["--timeout", String(timeout)]),
    ...(startupTimeout === undefined ? [] : ["--startup-timeout", String(startupTimeout)]),
    ...(flags.enable === false ? ["--no-enable"] : []),
    ...(flags.workspace === undefined ? [] : ["--workspace", flags.workspace]),
    ...(flags.json === true ? ["--json"] : []),
  ];
  const all = [name, "--force", "--on-conflict", "qualify", ...options, "--", ...words];
  return {
    line: `acumen mcp add ${all.map(quoted).join(" ")}`,
    toFill: given.some(([, text]) => text.endsWith(WITHHELD)),
  };
}

function withoutValue(text: string, sign: string): string {
  const at = text.indexOf(sign);
  const value = text.slice(at + 1);
  return /^\s*(?:(?:Bearer|Basic|Token) )?\$\{[A-Za-z_]\w*\}$/.test(value)
    ? text
    : `${text.slice(0, at + 1)}${WITHHELD}`;
}

/** For a POSIX shell. */
function quoted(word: string): string {
  return /^[\w@%+=:,./…-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
