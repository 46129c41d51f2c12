import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { type ProcessExit, sourceCommand, startProcess, tempFolder } from "@acumen/testkit";

const BIN = new URL("../../../packages/cli/src/bin.ts", import.meta.url);

/** util-linux, on every Linux; without it there is no pseudo-terminal to test on. */
export const HAS_SCRIPT = existsSync("/usr/bin/script");

/** A home, a workspace and a model that follows a script. */
interface ChatPlace extends AsyncDisposable {
  readonly home: string;
  readonly workspace: string;
  readonly model: string;
}

/** @param script what the model says */
export async function chatPlace(script: object): Promise<ChatPlace> {
  const folder = await tempFolder();
  const path = folder.join("script.json");
  await mkdir(folder.join("work"));
  await writeFile(path, JSON.stringify(script));
  return {
    home: folder.join("home"),
    workspace: folder.join("work"),
    model: `scripted/${path}`,
    [Symbol.asyncDispose]: () => folder.remove(),
  };
}

interface ChatProcess extends AsyncDisposable {
  /** Waits until the screen shows a text behind the one that was waited for last. */
  shows(text: string, timeoutMs?: number): Promise<void>;
  type(keys: string): void;
  screen(): string;
  readonly exited: Promise<ProcessExit>;
}

interface ChatProcessOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** Default: the place's. Null: none. */
  readonly model?: string | null;
}

/** A real `acumen` in the workspace of a place, on a pseudo-terminal of 80 columns. */
export function startChatProcess(
  place: ChatPlace,
  args: readonly string[] = [],
  { env = {}, model = place.model }: ChatProcessOptions = {},
): ChatProcess {
  const { command, args: words } = sourceCommand(BIN, args);
  const line = [command, ...words].map((word) => `'${word}'`).join(" ");
  const child = startProcess(
    {
      command: "script",
      args: ["-qefc", `stty cols 80 rows 24; exec ${line}`, "/dev/null"],
    },
    {
      cwd: place.workspace,
      env: {
        TERM: "xterm-256color",
        SHELL: "/bin/sh",
        ACUMEN_HOME: place.home,
        ...(model !== null && { ACUMEN_MODEL: model }),
        ...env,
      },
    },
  );
  let seen = 0;
  return {
    exited: child.exited,
    screen: () => child.stdout(),
    type: (keys) => child.child.stdin.write(keys),
    shows: async (text, timeoutMs = 40_000) => {
      const deadline = performance.now() + timeoutMs;
      for (;;) {
        const at = child.stdout().indexOf(text, seen);
        if (at >= 0) {
          seen = at + text.length;
          return;
        }
        if (performance.now() > deadline || child.child.exitCode !== null) {
          throw new Error(`"${text}" did not come; the screen shows:\n${child.stdout()}`);
        }
        await new Promise((resolve) => {
          setTimeout(resolve, 10);
        });
      }
    },
    [Symbol.asyncDispose]: () => child[Symbol.asyncDispose](),
  };
}
