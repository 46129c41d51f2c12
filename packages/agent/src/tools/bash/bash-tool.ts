import { stat } from "node:fs/promises";
import { BackgroundProcesses } from "../../process/background-processes.ts";
import { LocalProcesses } from "../../process/local-processes.ts";
import { ProcessGuard } from "../../process/process-guard.ts";
import type { LocatedPath, Workspace } from "../../workspace/workspace.ts";
import { defineTool, failed } from "../define-tool.ts";
import type { ProcessOperations, WrapCommand } from "../operations.ts";
import type { CallSubject, PreparedCall, RefusedCall, Tool, ToolRisk } from "../tool.ts";
import {
  type BashRequest,
  bashRequest,
  bashSchema,
  DEFAULT_TIMEOUT_MS,
  MAX_TIMEOUT_MS,
} from "./bash-input.ts";
import {
  processOutcome,
  type ProcessRequest,
  startProcess,
  unknownProcess,
} from "./process-actions.ts";
import { type CommandDeps, runCommand } from "./run-command.ts";

export interface BashToolDeps extends Omit<CommandDeps, "processes"> {
  /** Runs the commands that are waited for; default this machine. */
  readonly processes?: ProcessOperations;
  /** What is started on this machine instead of the shell of each command. */
  readonly wrap?: WrapCommand;
}

export interface BashTool {
  readonly tool: Tool;
  /** Ends the processes that were started. May be called twice. */
  close(): Promise<void>;
}

const DESCRIPTION = `Run a shell command and wait for it (action exec, the default). It has no input, runs in the working \
directory unless cwd says otherwise, and ends after timeout_ms (default ${DEFAULT_TIMEOUT_MS}, at most ${MAX_TIMEOUT_MS}) with \
what it started. Long output is cut in the middle; a file then holds the whole of it. For servers and watchers use \
action start (without a final "&"), which gives a process_id (bg_1, …) for status, logs, write (its input) and stop; list shows \
all. Started processes end with the session.`;

const MAX_TITLE_CHARS = 120;

/** Commands in process groups of their own. They are not confined: consent is asked, nothing is walled off. */
export function createBashTool(workspace: Workspace, deps: BashToolDeps): BashTool {
  const guard = new ProcessGuard();
  const background = new BackgroundProcesses({ ...deps, guard });
  const local = new LocalProcesses(guard, deps.wrap);
  const exec: CommandDeps["processes"]["exec"] = async (request) =>
    (await deps.processes?.exec(request)) ?? local.exec(request);
  const commands: CommandDeps = { ...deps, processes: { exec } };
  const tool = defineTool({
    name: "bash",
    description: DESCRIPTION,
    schema: bashSchema,
    kind: "execute",
    risk: "execute",
    prepare: (input) => {
      const request = bashRequest(input);
      if (typeof request === "string") return Promise.resolve({ ok: false, message: request });
      return request.action === "exec" || request.action === "start"
        ? prepareCommand(request, workspace, background, commands)
        : Promise.resolve(prepareProcess(request, background));
    },
  });
  const close = async (): Promise<void> => {
    await background.close();
    guard.close();
  };
  return { tool, close };
}

async function prepareCommand(
  request: Extract<BashRequest, { action: "exec" | "start" }>,
  workspace: Workspace,
  background: BackgroundProcesses,
  commands: CommandDeps,
): Promise<PreparedCall | RefusedCall> {
  const { action, command } = request;
  const title = titleOf(action === "start" ? `start in the background: ${command}` : command);
  const folder = await workingDirectory(workspace, request.cwd);
  if (!folder.ok) return { ...folder, title };
  const cwd = folder.path;
  return {
    ok: true,
    preview: previewOf(title, "execute", {
      type: "command",
      command,
      cwd,
      ...(action === "start" && { background: true }),
    }),
    run: async (context) => {
      const now = await workingDirectory(workspace, request.cwd);
      if (!now.ok) return failed(now.message);
      if (now.path !== cwd) return failed(`${request.cwd} became another folder; nothing was run.`);
      return request.action === "start"
        ? startProcess(command, cwd, background)
        : runCommand({ command, cwd, timeoutMs: request.timeoutMs }, context, commands);
    },
  };
}

/** Looking is harmless. What is written may be a command as well, so rules get to see it. */
function prepareProcess(
  request: ProcessRequest,
  background: BackgroundProcesses,
): PreparedCall | RefusedCall {
  const run = (): ReturnType<PreparedCall["run"]> => processOutcome(request, background);
  const { action } = request;
  if (action === "list") return { ok: true, preview: previewOf("list processes", "read"), run };
  const { processId } = request;
  const facts = background.get(processId)?.facts;
  if (facts === undefined)
    return {
      ok: false,
      message: unknownProcess(processId, background),
      title: `${action} ${processId}`,
    };
  const title = titleOf(`${action} ${processId}: ${facts.command}`);
  if (action === "status" || action === "logs")
    return { ok: true, preview: previewOf(title, "read"), run };
  const subject: CallSubject | undefined =
    action === "write"
      ? { type: "command", command: `# input of ${processId}\n${request.input}`, cwd: facts.cwd }
      : undefined;
  return { ok: true, preview: previewOf(title, "execute", subject), run };
}

function previewOf(
  title: string,
  risk: ToolRisk,
  subject: CallSubject = { type: "none" },
): PreparedCall["preview"] {
  return { title, risk, subject, locations: [], diff: [] };
}

async function workingDirectory(workspace: Workspace, cwd: string): Promise<LocatedPath> {
  const located = await workspace.locate(cwd, "read");
  if (!located.ok) return located;
  const stats = await stat(located.path).catch(() => undefined);
  if (stats?.isDirectory() === true) return located;
  const reason = stats === undefined ? "does not exist" : "is not a folder";
  return {
    ok: false,
    message: `The cwd ${cwd} ${reason}; name an existing folder of the workspace.`,
  };
}

function titleOf(text: string): string {
  const line = text.trimStart().split("\n", 1)[0] ?? "";
  const short = line.length > MAX_TITLE_CHARS || line.length < text.trim().length;
  return short ? `${line.slice(0, MAX_TITLE_CHARS - 1)}…` : line;
}
