import type { Terminal } from "./terminal.ts";

/** Shows how far one piece of work is. */
export interface Progress {
  /** `done` may be reported out of order or twice; the display never goes back. */
  update(done: number): void;
  stop(): void;
}

/** Begins the display of a piece of work of `total` steps. */
export type StartProgress = (label: string, total: number) => Promise<Progress>;

const LABEL_WIDTH = 34;
const PLAIN_LINES = 4;

export const silentProgress: StartProgress = () =>
  Promise.resolve({ update: () => undefined, stop: () => undefined });

/** A bar on a TTY, which is replaced by nothing when it is done; else a line at each quarter of the way. */
export function progressOn(terminal: Terminal): StartProgress {
  return (label, total) =>
    terminal.interactive
      ? startBar(terminal, label, total)
      : Promise.resolve(startLines(terminal, label, total));
}

async function startBar(terminal: Terminal, label: string, total: number): Promise<Progress> {
  const { default: cliProgress } = await import("cli-progress");
  const bar = new cliProgress.SingleBar({
    stream: terminal.stream as NodeJS.WritableStream,
    format: `  ${label.padEnd(LABEL_WIDTH)} {bar} {value}/{total}`,
    barsize: 24,
    barCompleteChar: "#",
    barIncompleteChar: ".",
    hideCursor: true,
    clearOnComplete: true,
  });
  bar.start(total, 0);
  let shown = 0;
  return {
    update: (done) => {
      shown = Math.max(shown, done);
      bar.update(shown);
    },
    stop: () => bar.stop(),
  };
}

function startLines(terminal: Terminal, label: string, total: number): Progress {
  let shown = 0;
  const print = (done: number): void => terminal.print(`  ${label}: ${done}/${total}`);
  print(0);
  return {
    update: (done) => {
      const quarter = Math.floor((done * PLAIN_LINES) / total);
      if (quarter <= shown) return;
      shown = quarter;
      print(done);
    },
    stop: () => undefined,
  };
}
