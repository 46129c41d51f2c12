import { PassThrough } from "node:stream";
import type { InputStream } from "../../src/command-context.ts";
import { main } from "../../src/main.ts";
import type { AgentBench } from "../support/agent-bench.ts";

export interface ChatScreen extends AsyncDisposable {
  /** Waits until the screen shows a text behind the one that was waited for last. */
  shows(text: string): Promise<void>;
  type(keys: string): void;
  /** Types a line and waits for the next prompt; returns what came between. */
  line(text: string): Promise<string>;
  /** Everything that was written to the terminal. */
  text(): string;
  readonly exitCode: Promise<number>;
  /** What was written to stderr. */
  errors(): string;
  /** Ends it as a signal would. */
  readonly controller: AbortController;
  /** The terminal is gone. */
  hangUp(): void;
}

export interface ChatScreenOptions {
  readonly variables?: Readonly<Record<string, string>>;
  /** Default: the bench's. Null: none. */
  readonly model?: string | null;
}

/** A fresh prompt at the end of the screen. */
const PROMPT = new RegExp(`${"\u001B"}\\[0J(?:auto|safe|manual)> ${"\u001B"}\\[\\d+G$`);

/** A chat in this process, on streams that stand for a terminal of 80 columns without colours. */
export function chatScreen(
  bench: AgentBench,
  args: readonly string[] = [],
  { variables = {}, model = bench.model }: ChatScreenOptions = {},
): ChatScreen {
  const raw = { isTTY: true, setRawMode: () => undefined };
  const stdin = Object.assign(new PassThrough(), raw);
  const stdout = Object.assign(new PassThrough(), { isTTY: true, columns: 80, rows: 24 });
  let text = "";
  let errors = "";
  let seen = 0;
  let ended = false;
  stdout.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
  const controller = new AbortController();
  const words = ["--no-color", "--cwd", bench.workspace, ...args];
  const chosen = model === null ? [] : ["--model", model];
  const exitCode = main([...words, ...chosen], {
    stdout,
    stderr: { write: (chunk) => (errors += chunk) },
    stdin: () => stdin as unknown as InputStream,
    variables: {
      PATH: process.env["PATH"] ?? "",
      TERM: "xterm",
      ...variables,
      ACUMEN_HOME: bench.home,
    },
    signal: controller.signal,
  }).finally(() => (ended = true));
  const moment = async (isOver: boolean, wanted = "the prompt"): Promise<void> => {
    if (isOver) throw new Error(`"${wanted}" did not come; the screen shows:\n${text}\n${errors}`);
    await new Promise((resolve) => {
      setTimeout(resolve, 2);
    });
  };
  const shows = async (wanted: string): Promise<void> => {
    const deadline = performance.now() + 30_000;
    for (;;) {
      const at = text.indexOf(wanted, seen);
      if (at >= 0) {
        seen = at + wanted.length;
        return;
      }
      await moment(ended || performance.now() > deadline, wanted);
    }
  };
  return {
    shows,
    type: (keys) => stdin.write(keys),
    line: async (keys) => {
      const from = seen;
      stdin.write(`${keys}\r`);
      const deadline = performance.now() + 30_000;
      while (!PROMPT.test(text.slice(from))) await moment(ended || performance.now() > deadline);
      seen = text.length;
      return text.slice(from);
    },
    text: () => text,
    errors: () => errors,
    exitCode,
    controller,
    hangUp: () => stdin.end(),
    [Symbol.asyncDispose]: async () => {
      controller.abort();
      await exitCode;
    },
  };
}
