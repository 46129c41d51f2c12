import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { type PracticePlace, preparePlace } from "../practice/practice-place.ts";
import { PracticeRepository } from "../practice/practice-repository.ts";
import { titleLines } from "../report.ts";
import type { Stage } from "../stage.ts";
import { Editor } from "./editor.ts";
import { hostIntroLines, outcomeLines, replayLines } from "./host-report.ts";
import type { HostResult } from "./host-result.ts";
import { Screen } from "./screen.ts";

const FILE = "lockers.mjs";
const TASK = "Compare lockers.mjs with its comment, and mend it.";
const QUESTION = "Tell me all about lockers.";

/**
 * The fourth act: the tour drives `acumen acp` as an editor does. A prompt with a question and a diff, a second one that is cancelled, and
 * the session once more in a new process. Whatever it starts has ended when this settles.
 * @throws CLI_TOUR_FAILED; the signal's reason after an abort
 */
export async function driveFromAnEditor(stage: Stage): Promise<HostResult> {
  const { terminal, signal } = stage;
  terminal.print(...hostIntroLines(terminal));
  const root = join(stage.root, "host");
  await mkdir(root);
  const place = await preparePlace({ ...stage, root });
  const repository = await PracticeRepository.create({
    path: place.repository,
    env: place.env,
    ...(signal && { signal }),
  });
  const { sessionId, pid, exitCode, transcript, ...live } = await work(stage, place);
  const mended = (await repository.text(FILE)).includes("hours >= 5");
  const again = await loadAgain(stage, place, sessionId);
  const result: HostResult = {
    ...live,
    pids: [pid, again.pid],
    exitCodes: [exitCode, again.exitCode],
    mended,
    listed: again.listed,
    live: transcript,
    replayed: again.transcript,
  };
  terminal.print(...replayLines(terminal, result));
  return result;
}

interface Seen {
  readonly pid: number;
  readonly exitCode: number | null;
  readonly transcript: HostResult["live"];
}

type Worked = Seen &
  Pick<HostResult, "callStates" | "permissions" | "stopReasons"> & { readonly sessionId: string };

async function work(stage: Stage, place: PracticePlace): Promise<Worked> {
  const { terminal } = stage;
  terminal.print(...titleLines(terminal, "13. An editor starts acumen acp and sends a prompt"));
  const stopReasons: string[] = [];
  let id = "";
  const { screen, ...seen } = await withEditor(stage, place, async (editor, screen) => {
    const cwd = place.repository;
    const { sessionId } = await editor.ask((agent) =>
      agent.request("session/new", { cwd, mcpServers: [] }),
    );
    id = sessionId;
    const prompt = async (text: string): Promise<void> => {
      screen.view.prompted(text);
      const { stopReason } = await editor.ask((agent) =>
        agent.request("session/prompt", { sessionId, prompt: [{ type: "text", text }] }),
      );
      screen.flush();
      screen.view.answered(stopReason);
      stopReasons.push(stopReason);
      terminal.print(...outcomeLines(terminal, `The prompt is answered: ${stopReason}.`));
    };
    await prompt(TASK);
    terminal.print(
      ...titleLines(terminal, "14. A second prompt is cancelled while it is answered"),
    );
    screen.onText = () => {
      screen.onText = undefined;
      // When it cannot be sent, the prompt fails, too.
      editor.agent.notify("session/cancel", { sessionId }).catch(() => undefined);
    };
    await prompt(QUESTION);
  });
  const { permissions, callStates } = screen;
  return { ...seen, sessionId: id, stopReasons, permissions, callStates };
}

async function loadAgain(
  stage: Stage,
  place: PracticePlace,
  sessionId: string,
): Promise<Seen & { readonly listed: boolean }> {
  const { terminal } = stage;
  terminal.print(...titleLines(terminal, "15. A new process loads the session"));
  let listed = false;
  const { screen: _screen, ...seen } = await withEditor(stage, place, async (editor) => {
    const cwd = place.repository;
    const { sessions } = await editor.ask((agent) => agent.request("session/list", { cwd }));
    listed = sessions.some((session) => session.sessionId === sessionId);
    await editor.ask((agent) => agent.request("session/load", { sessionId, cwd, mcpServers: [] }));
  });
  return { ...seen, listed };
}

/** The agent's process has ended when this settles. */
async function withEditor(
  stage: Stage,
  place: PracticePlace,
  use: (editor: Editor, screen: Screen) => Promise<void>,
): Promise<Seen & { readonly screen: Screen }> {
  const screen = new Screen(stage);
  const editor = await Editor.start(stage, place, screen);
  const { pid } = editor;
  let exitCode: number | null = null;
  try {
    await use(editor, screen);
  } catch (error) {
    stage.signal?.throwIfAborted();
    throw error;
  } finally {
    exitCode = await editor.close();
  }
  stage.signal?.throwIfAborted();
  screen.flush();
  return { pid, exitCode, transcript: screen.view.transcript, screen };
}
