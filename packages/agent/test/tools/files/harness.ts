import { type TempFolder, tempFolder } from "@acumen/testkit";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { dirname, relative } from "node:path";
import { textOf } from "../../../src/content/content-block.ts";
import type { BeforeImage } from "../../../src/session/session-store.ts";
import type { FileToolDeps } from "../../../src/tools/files/file-tool-deps.ts";
import { createFileTools } from "../../../src/tools/files/file-tools.ts";
import type { PreparedCall, RefusedCall, ToolOutcome } from "../../../src/tools/tool.ts";
import { ReadLedger } from "../../../src/workspace/read-ledger.ts";
import { openWorkspace } from "../../../src/workspace/workspace.ts";

export type Outcome = { status: string; text: string } & Partial<Omit<ToolOutcome, "status">>;

export interface Harness extends AsyncDisposable {
  readonly folder: TempFolder;
  readonly images: BeforeImage[];
  readonly reads: ReadLedger;
  path(name: string): string;
  put(name: string, content: string | Uint8Array): Promise<void>;
  get(name: string): Promise<string>;
  /** Every file below the workspace, sorted. */
  files(): Promise<string[]>;
  prepare(tool: string, input: unknown, signal?: AbortSignal): Promise<PreparedCall | RefusedCall>;
  /** Prepares and, if that was taken, runs. */
  call(tool: string, input: unknown): Promise<Outcome>;
}

/** The file tools on a real folder `ws`, with an outside beside it. */
export async function fileTools(deps: Partial<FileToolDeps> = {}): Promise<Harness> {
  const folder = await tempFolder();
  await mkdir(folder.join("ws"));
  const workspace = await openWorkspace({ cwd: folder.join("ws") });
  const images: BeforeImage[] = [];
  const reads = new ReadLedger();
  const tools = createFileTools(workspace, {
    beforeWrite: async (image) => void images.push(image),
    reads,
    redact: (text) => text,
    ...deps,
  });
  const path = (name: string): string => folder.join("ws", name);
  const prepare: Harness["prepare"] = async (name, input, signal = never()) => {
    const tool = tools.find((each) => each.name === name);
    if (tool === undefined) throw new Error(`no tool ${name}`);
    return tool.prepare(input, { signal });
  };
  return {
    folder,
    images,
    reads,
    path,
    put: async (name, content) => {
      await mkdir(dirname(path(name)), { recursive: true });
      await writeFile(path(name), content);
    },
    get: (name) => readFile(path(name), "utf8"),
    files: async () => {
      const all = await readdir(folder.join("ws"), { recursive: true, withFileTypes: true });
      return all
        .filter((entry) => !entry.isDirectory())
        .map((entry) => relative(folder.join("ws"), `${entry.parentPath}/${entry.name}`))
        .toSorted();
    },
    prepare,
    call: async (name, input) => {
      const call = await prepare(name, input);
      return call.ok ? run(call) : { status: "refused", text: call.message };
    },
    [Symbol.asyncDispose]: () => folder.remove(),
  };
}

export async function run(
  call: PreparedCall,
  signal: AbortSignal = never(),
): Promise<{ text: string } & ToolOutcome> {
  const context = { sessionId: "s", turnId: "t", callId: "c", seq: 7, signal };
  const outcome = await call.run(context);
  return { ...outcome, text: textOf(outcome.output) };
}

/** A call that must be taken. */
export function taken(call: PreparedCall | RefusedCall): PreparedCall {
  if (call.ok) return call;
  throw new Error(call.message);
}

function never(): AbortSignal {
  return new AbortController().signal;
}
