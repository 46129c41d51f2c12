import { join } from "node:path";
import type { StartProgress } from "../terminal/progress.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { AceServer } from "./ace-server.ts";
import type { Dataset } from "./dataset.ts";
import { type ExamResult, holdExam } from "./exam.ts";
import type { ServerCommand } from "./server-command.ts";
import type { ServerFacts } from "./tour-result.ts";

/** What every stage of the tour works with. */
export interface Stage {
  readonly dataset: Dataset;
  /** Starts `ace-mcp`. */
  readonly command: ServerCommand;
  /** Starts `acumen`. */
  readonly acumenCommand: ServerCommand;
  /** Environment of the tour; what it starts gets next to nothing of it. */
  readonly variables: Readonly<Record<string, string | undefined>>;
  readonly terminal: Terminal;
  readonly startProgress: StartProgress;
  /** The folder of everything that this tour writes. */
  readonly root: string;
  readonly signal?: AbortSignal;
}

/** The session that learns; its book is what is saved and loaded. */
export const SESSION = "tour";
export const SAVED_FILE = "tour.json";

/** Runs `work` on a server process of its own, which has ended when this settles. */
export async function withServer<T>(
  { command, root, signal }: Stage,
  work: (server: AceServer) => Promise<T>,
  options: { readonly revision?: string } = {},
): Promise<T> {
  const server = await AceServer.start({ ...options, command, root, ...(signal && { signal }) });
  try {
    return await work(server);
  } finally {
    await server.close();
  }
}

/** Shows a progress display while `work` runs. */
export async function withProgress<T>(
  { startProgress }: Stage,
  label: string,
  total: number,
  work: (onProgress: (done: number) => void) => Promise<T>,
): Promise<T> {
  const progress = await startProgress(label, total);
  try {
    return await work((done) => progress.update(done));
  } finally {
    progress.stop();
  }
}

/** The exam on the tickets held out, with progress. */
export function exam(
  stage: Stage,
  server: AceServer,
  session: string,
  label: string,
): Promise<ExamResult> {
  const { heldOut } = stage.dataset;
  return withProgress(stage, label, heldOut.length, (onProgress) =>
    holdExam(server, heldOut, { session, onProgress }),
  );
}

/** Saves the learned book into the tour's folder. */
export async function saveBook(
  stage: Stage,
  server: AceServer,
  file: string,
): Promise<{ readonly path: string; readonly skills: number }> {
  const path = join(stage.root, file);
  const reply = await server.call("ace.skillbook.save", { session_id: SESSION, path });
  return { path, skills: Number(reply["saved_skill_count"]) };
}

export async function factsOf(server: AceServer): Promise<ServerFacts> {
  const { name, pid, protocol } = server;
  return { name, pid, protocol, tools: (await server.toolNames()).length };
}
