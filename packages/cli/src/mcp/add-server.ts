import type { Readable, Writable } from "node:stream";
import type { McpServerStatus } from "@acumen/agent";
import { AcumenError } from "@acumen/core";
import { EXIT_CODES } from "../exit-code.ts";
import { terminalPrompts } from "../terminal/prompts.ts";
import { say } from "./change-servers.ts";
import { type EnabledHere, enableHere, isMoved } from "./enable-here.ts";
import type { AddFlags, McpTask } from "./mcp-task.ts";
import { openMcp, type OpenedMcp } from "./open-mcp.ts";
import { only, type Probe, probe } from "./probe.ts";
import { serverReport } from "./server-report.ts";
import { againQualified, definitionOf } from "./server-words.ts";

export interface AddTask extends McpTask {
  readonly flags: AddFlags;
}

type Enabling = Omit<EnabledHere, "file" | "missing" | "trust"> & Partial<EnabledHere>;

/**
 * Defines a server, enables it in the workspace where that is possible, and connects once. A server that cannot be reached stays
 * defined.
 * @throws CLI_USAGE, AGENT_MCP_CONFIG_INVALID, AGENT_MCP_SERVER_EXISTS: nothing is changed then; AGENT_WORKSPACE_INVALID
 */
export async function addServer(
  name: string,
  words: readonly string[],
  task: AddTask,
): Promise<Readonly<Record<string, unknown>>> {
  const { flags } = task;
  const raw = definitionOf(words, flags);
  const opened = await openMcp(task);
  // A folder that does not exist is said before anything is written.
  if (flags.enable) await opened.trust.check(opened.cwd);
  const { file, replaced, closed } = await opened.manager.add(name, raw, {
    force: flags.force === true,
  });
  say(task, `${name} is ${replaced ? "defined anew" : "defined"} in ${file}.`);
  say(task, ...secretHints(flags));
  if (closed) say(task, "Others could read that file; its mode is 0600 now.");
  const enabling = flags.enable
    ? await enabled(name, task, opened)
    : { enabled: false, reason: "As --no-enable says." };
  const record = { name, file, replaced, ...enabling };
  let found = await tried(name, task, opened, enabling.enabled);
  if (hasConflict(found.status) && flags.onConflict === undefined) {
    if (await isWanted(task)) {
      await opened.manager.add(name, { ...raw, onConflict: "qualify" }, { force: true });
      found = await tried(name, task, opened, enabling.enabled);
    } else {
      const { line, toFill } = againQualified(name, words, flags);
      const fill = toFill ? " (put the values in for …)" : "";
      say(task, `To use it all the same, with longer names for those tools${fill}:`);
      task.terminal.print(`  ${line}`);
      return { ...record, server: found.status ?? null, tools: found.tools, remedy: line };
    }
  }
  return { ...record, server: found.status ?? null, tools: found.tools };
}

/** Where the workspace can't be trusted the server is only defined. */
async function enabled(name: string, task: AddTask, opened: OpenedMcp): Promise<Enabling> {
  try {
    const here = await enableHere(name, task, opened);
    say(
      task,
      here.enabled
        ? `It is enabled in ${here.file}.`
        : `It is not enabled here. ${here.reason ?? ""}`,
    );
    const { enabled: isEnabled, reason, trust } = here;
    return { enabled: isEnabled, trust, ...(reason !== undefined && { reason }) };
  } catch (error) {
    if (!AcumenError.isInstance(error) || error.code !== "AGENT_WORKSPACE_UNTRUSTABLE") throw error;
    say(task, `It is not enabled here. ${error.message}`);
    // The place can be trusted: what was wanted has failed, and the command with it.
    if (isMoved(error)) task.context.ending.exitCode = EXIT_CODES.failed;
    return { enabled: false, reason: error.message };
  }
}

async function tried(
  name: string,
  task: AddTask,
  { manager, cwd }: OpenedMcp,
  isEnabled: boolean,
): Promise<{ readonly status: McpServerStatus | undefined; readonly tools: Probe["tools"] }> {
  const source = manager.sourceFor({ cwd });
  const found = await probe(isEnabled ? source : only(source, name), { ...task, cwd });
  const status = found.servers.find(({ server }) => server === name);
  const tools = found.tools.filter(({ server }) => server === name);
  if (status !== undefined) task.terminal.print(...serverReport(status, tools, task.terminal));
  return { status, tools };
}

function hasConflict(status: McpServerStatus | undefined): boolean {
  return status?.state === "error" && status.conflicts.length > 0;
}

async function isWanted({ context, json }: AddTask): Promise<boolean> {
  const { stdin, stdout, signal } = context;
  if (json || stdout.isTTY !== true || stdin().isTTY !== true) return false;
  const { confirm } = await terminalPrompts({
    input: stdin() as unknown as Readable,
    output: stdout as unknown as Writable,
    signal,
    gaveUp: "Given up; the server stays defined.",
  });
  return confirm({ message: "Give those tools longer names?", initial: true });
}

/** A value that is no variable stands in the file. */
function secretHints({ env = [], header = [] }: AddFlags): string[] {
  const isPlain = (text: string): boolean => !/\$\{|\{env:/.test(text);
  return [...env, ...header].some(isPlain)
    ? [
        "Values of --env and --header stand in that file (mode 0600); '${NAME}' would keep them out of it.",
      ]
    : [];
}
