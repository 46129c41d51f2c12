import { type Clock, systemClock } from "@acumen/core";
import type { Terminal } from "./terminal.ts";

/** Shows how far one piece of work is. */
interface Progress {
  /** `done` may be reported out of order or twice; the display never goes back. */
  update(done: number): void;
  stop(): void;
}

/** Begins the display of a piece of work of `total` steps. */
export type StartProgress = (label: string, total: number) => Promise<Progress>;

const LABEL_WIDTH = 34;
/** Often enough to see that it moves, seldom enough for a log. */
const PLAIN_INTERVAL_MS = 1_000;

export const silentProgress: StartProgress = () =>
  Promise.resolve({ update: () => undefined, stop: () => undefined });

/** A bar on a TTY, which is gone when it is done; else a line at the start and one for every second of work. */
export function progressOn(terminal: Terminal, clock: Clock = systemClock): StartProgress {
  return (label, total) =>
    terminal.interactive
      ? startBar(terminal, label, total)
      : Promise.resolve(startLines({ terminal, clock, label, total }));
}

async function startBar(terminal: Terminal, label: string, total: number): Promise<Progress> {
  const { default: cliProgress } = await import("cli-progress");
  const bar = new cliProgress.SingleBar({
    stream: terminal.stream as NodeJS.WritableStream,
    format: `  ${label.padEnd(LABEL_WIDTH)} {bar} {value}/{total}`,
    barsize: 24,
    barCompleteChar: "#",
    barIncompleteChar: ".",
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

function startLines(options: {
  readonly terminal: Terminal;
  readonly clock: Clock;
  readonly label: string;
  readonly total: number;
}): Progress {
  const { terminal, clock, label, total } = options;
  let shown = -1;
  let shownAt = 0;
  const print = (done: number): void => {
    shown = done;
    shownAt = clock.monotonicMs();
    terminal.print(`  ${label}: ${done}/${total}`);
  };
  print(0);
  return {
    update: (done) => {
      if (done > shown && clock.monotonicMs() - shownAt >= PLAIN_INTERVAL_MS) print(done);
    },
    stop: () => undefined,
  };
}
