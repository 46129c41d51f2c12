import pc from "picocolors";

export type Colours = ReturnType<typeof pc.createColors>;

/** The part of a stream that is needed to write for people. */
export interface TextStream {
  write(text: string): unknown;
  readonly isTTY?: boolean;
  readonly columns?: number;
}

/** Where a command writes what people read. */
export interface Terminal {
  readonly stream: TextStream;
  readonly interactive: boolean;
  /** Columns of a line: 80 when piped, at most 100, because longer lines read badly. */
  readonly width: number;
  readonly colours: Colours;
  print(...lines: readonly string[]): void;
}

const PIPED_WIDTH = 80;
const MAX_WIDTH = 100;
const MIN_WIDTH = 40;

/** Colours need a TTY and `color`, which is false under `--no-color` and NO_COLOR. */
export function createTerminal(stream: TextStream, options: { readonly color: boolean }): Terminal {
  const interactive = stream.isTTY === true;
  const columns = interactive ? (stream.columns ?? PIPED_WIDTH) : PIPED_WIDTH;
  return {
    stream,
    interactive,
    width: Math.min(MAX_WIDTH, Math.max(MIN_WIDTH, columns)),
    colours: pc.createColors(interactive && options.color),
    print: (...lines) => {
      for (const line of lines) stream.write(`${line}\n`);
    },
  };
}
