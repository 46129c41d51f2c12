import { isJsonObject } from "@acumen/core";

export type Fields = Readonly<Record<string, unknown>>;

/** Below this a `timeout` cannot mean milliseconds. */
const SECONDS_BELOW = 1_000;

/** Keys of other hosts whose effect would be missed in silence, and what to do instead. */
const UNSUPPORTED: Readonly<Record<string, string>> = {
  envFile:
    "files of variables are not read. Write the variables under `env`, as `${NAME}` if they are secret.",
  headersHelper:
    "no program is asked for headers. Write them under `headers`, as `${NAME}` if they are secret.",
};

/**
 * A definition as other hosts write it, in the words of `mcp.json`. What is null counts as absent; keys without a counterpart
 * (`disabled`, `autoApprove`, `description`, …) stay and mean nothing: what is switched on and what is allowed is said elsewhere.
 * - `command` as a list (program and arguments), or as `{path, args, env}`; `environment` for `env`
 * - `serverUrl`, `httpUrl` for `url`; `transport`, `transportType` for `type`
 * - `timeout`: milliseconds, or seconds below 1,000; or `{startup, request}` in milliseconds
 * - `includeTools`, `excludeTools`; `tools` as a list of names, of which `*` means all
 */
export function inOurWords(raw: Fields): { readonly fields: Fields } | { readonly fault: string } {
  const given = new Map(Object.entries(raw).filter(([, value]) => value !== null));
  for (const [key, reason] of Object.entries(UNSUPPORTED)) {
    if (given.has(key) && given.get(key) !== "") return { fault: `${key}: ${reason}` };
  }
  rename(given, "transport", "type");
  rename(given, "transportType", "type");
  rename(given, "environment", "env");
  rename(given, "serverUrl", "url");
  rename(given, "httpUrl", "url");
  rename(given, "includeTools", "enabledTools");
  rename(given, "excludeTools", "disabledTools");
  takeCommand(given);
  takeTimeout(given);
  takeTools(given);
  return { fields: Object.fromEntries(given) };
}

/** The word that is ours goes first when both are there. */
function rename(given: Map<string, unknown>, from: string, to: string): void {
  if (!given.has(from)) return;
  if (!given.has(to) && typeof given.get(from) !== "undefined") given.set(to, given.get(from));
  given.delete(from);
}

function takeCommand(given: Map<string, unknown>): void {
  const command = given.get("command");
  if (Array.isArray(command)) {
    const [program, ...first] = command as unknown[];
    const args = given.get("args") ?? [];
    given.set("command", program);
    if (Array.isArray(args)) given.set("args", [...first, ...(args as unknown[])]);
  } else if (isJsonObject(command)) {
    for (const key of ["args", "env"]) {
      if (!given.has(key) && Object.hasOwn(command, key)) given.set(key, command[key]);
    }
    given.set("command", command["path"]);
  }
}

function takeTimeout(given: Map<string, unknown>): void {
  const timeout = given.get("timeout");
  if (typeof timeout === "number") {
    const ms = timeout < SECONDS_BELOW ? timeout * 1_000 : timeout;
    if (!given.has("timeoutMs")) given.set("timeoutMs", ms);
  } else if (isJsonObject(timeout)) {
    for (const [from, to] of [
      ["request", "timeoutMs"],
      ["startup", "startupTimeoutMs"],
    ] as const) {
      if (!given.has(to) && Object.hasOwn(timeout, from)) given.set(to, timeout[from]);
    }
  }
}

function takeTools(given: Map<string, unknown>): void {
  const tools = given.get("tools");
  if (!Array.isArray(tools) || given.has("enabledTools") || tools.includes("*")) return;
  given.set("enabledTools", tools);
}
