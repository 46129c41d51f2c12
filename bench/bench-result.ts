/** One measured figure. */
export interface BenchResult {
  readonly name: string;
  /** Of median, p99 and spread: ms, tokens, MB, ... */
  readonly unit: string;
  readonly median: number;
  readonly p99?: number;
  /** Distance between the first and the third quartile. */
  readonly spread: number;
  /** What is asked for, as text: `<= 20`. */
  readonly bar?: string;
  readonly pass?: boolean;
  readonly runs: number;
  /** Sizes, conditions, or why a bar is missed. */
  readonly note?: string;
}

/** Figures of a series of runs. */
export interface Measurement {
  readonly median: number;
  readonly p99: number;
  readonly spread: number;
  readonly runs: number;
}

/** Every module `bench/*.bench.ts` exports this. */
export interface BenchModule {
  run(): Promise<BenchResult[]>;
}

/**
 * Wall time of a function in milliseconds.
 *
 * @param fn gets what `prepare` made, else the number of the run (from 0); promises are awaited
 * @param prepare makes the input of each run, outside the time that is taken
 */
export async function measure<Input = number>(
  fn: (input: Input) => unknown,
  runs: number,
  prepare: (run: number) => Input | Promise<Input> = (run) => run as Input,
): Promise<Measurement> {
  const times: number[] = [];
  for (let run = 0; run < runs; run++) {
    const input = await prepare(run);
    const start = performance.now();
    await fn(input);
    times.push(performance.now() - start);
  }
  return summarise(times);
}

/** Median, 99th percentile and quartile distance of any values. */
export function summarise(values: readonly number[]): Measurement {
  const sorted = values.toSorted((a, b) => a - b);
  return {
    median: quantile(sorted, 0.5),
    p99: quantile(sorted, 0.99),
    spread: quantile(sorted, 0.75) - quantile(sorted, 0.25),
    runs: sorted.length,
  };
}

/** Linear between the neighbours, as most tools do it. */
function quantile(sorted: readonly number[], share: number): number {
  const position = (sorted.length - 1) * share;
  const low = sorted[Math.floor(position)] ?? Number.NaN;
  const high = sorted[Math.ceil(position)] ?? Number.NaN;
  return low + (high - low) * (position - Math.floor(position));
}

/** A figure without a bar. */
export function figure(
  name: string,
  unit: string,
  measured: Measurement,
  note?: string,
): BenchResult {
  return { name, unit, ...measured, ...(note !== undefined && { note }) };
}

/** A figure whose median (or 99th percentile) may be at most so high. */
export function atMost(
  bar: number,
  result: BenchResult,
  value: number = result.median,
): BenchResult {
  return { ...result, bar: `<= ${bar}`, pass: value <= bar };
}

/** A figure whose median must be at least so high. */
export function atLeast(bar: number, result: BenchResult): BenchResult {
  return { ...result, bar: `>= ${bar}`, pass: result.median >= bar };
}
