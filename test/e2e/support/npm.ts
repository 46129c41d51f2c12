import { mustRun, runCommand, type RunResult } from "./run-command.ts";

/** How this machine reaches its package registry; nothing else of the environment reaches npm. */
const NETWORK =
  /^(?:npm_config_(?:registry|userconfig|globalconfig|cache|cafile|proxy|https_proxy|noproxy|nodedir)|(?:https?|no)_proxy|NODE_EXTRA_CA_CERTS|SSL_CERT_(?:FILE|DIR))$/i;

export function npmEnvironment(): Record<string, string> {
  const inherited: Record<string, string> = {
    npm_config_audit: "false",
    npm_config_fund: "false",
    npm_config_update_notifier: "false",
  };
  for (const [name, value] of Object.entries(process.env))
    if (NETWORK.test(name) && value !== undefined) inherited[name] = value;
  return inherited;
}

/** Runs npm in a folder; rejects with npm's own words when it fails. */
export function npm(args: readonly string[], cwd: string, timeoutMs = 240_000): Promise<RunResult> {
  return mustRun("npm", args, { cwd, env: npmEnvironment(), timeoutMs });
}

/** Runs npx the way an MCP host does. */
export function npx(
  args: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>> = {},
  timeoutMs = 240_000,
): Promise<RunResult> {
  return runCommand("npx", args, { cwd, env: { ...npmEnvironment(), ...env }, timeoutMs });
}
