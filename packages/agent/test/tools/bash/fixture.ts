import { createId } from "@acumen/core";
import { tempFolder, type TempFolder } from "@acumen/testkit";
import { mkdir, readFile } from "node:fs/promises";
import { textOf } from "../../../src/content/content-block.ts";
import { childEnvironment } from "../../../src/process/child-environment.ts";
import { createRedactor } from "../../../src/redaction/redactor.ts";
import {
  type BashTool,
  type BashToolDeps,
  createBashTool,
} from "../../../src/tools/bash/bash-tool.ts";
import type { CallPreview, RunContext, Tool, ToolOutcome } from "../../../src/tools/tool.ts";
import { openWorkspace, type Workspace } from "../../../src/workspace/workspace.ts";

export interface Bench extends AsyncDisposable {
  readonly folder: TempFolder;
  /** The working directory. */
  readonly cwd: string;
  readonly outputs: string;
  readonly workspace: Workspace;
  readonly bash: BashTool;
  /** Prepares and runs; a refused call is a failed outcome. */
  run(
    input: unknown,
    context?: Partial<RunContext>,
  ): Promise<ToolOutcome & { readonly text: string }>;
}

/** A bash tool in a workspace of its own. */
export async function bashBench(deps: Partial<BashToolDeps> = {}): Promise<Bench> {
  const folder = await tempFolder();
  const cwd = folder.join("work");
  const outputs = folder.join("outputs");
  await mkdir(cwd);
  await mkdir(outputs);
  const workspace = await openWorkspace({ cwd });
  const bash = createBashTool(workspace, {
    environment: childEnvironment(process.env),
    redact: createRedactor(),
    outputFolder: () => Promise.resolve(outputs),
    ...deps,
  });
  return {
    folder,
    cwd,
    outputs,
    workspace,
    bash,
    run: (input, context) => runTool(bash.tool, input, context),
    [Symbol.asyncDispose]: async () => {
      await bash.close();
      await folder.remove();
    },
  };
}

export async function runTool(
  tool: Tool,
  input: unknown,
  context: Partial<RunContext> = {},
): Promise<ToolOutcome & { readonly text: string }> {
  const whole = runContext(context);
  const call = await tool.prepare(input, whole);
  if (!call.ok) return { status: "failed", output: [], text: call.message };
  const outcome = await call.run(whole);
  return { ...outcome, text: textOf(outcome.output) };
}

export async function previewOf(tool: Tool, input: unknown): Promise<CallPreview> {
  const call = await tool.prepare(input, runContext());
  if (!call.ok) throw new Error(call.message);
  return call.preview;
}

export function runContext(context: Partial<RunContext> = {}): RunContext {
  return {
    sessionId: createId(),
    turnId: createId(),
    callId: createId(),
    seq: 7,
    signal: new AbortController().signal,
    ...context,
  };
}

/** False when it ended; a zombie has ended. */
export async function isAlive(pid: number): Promise<boolean> {
  const status = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => undefined);
  return status !== undefined && !/\) [ZX] /.test(status);
}

/** Waits until `done`, at most ten seconds. */
export async function eventually(done: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = performance.now() + 10_000;
  while (!(await done())) {
    if (performance.now() > deadline) throw new Error("It did not happen within ten seconds.");
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** Fails when one of them lives on: they would for minutes. The system may take a moment to bury what was killed. */
export async function allEnded(pids: readonly number[]): Promise<void> {
  await eventually(async () => !(await Promise.all(pids.map(isAlive))).includes(true));
}
