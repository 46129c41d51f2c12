/**
 * When a step runs: `prepare` steps of several contexts overlap; `commit` steps of one context run alone and in input
 * order; `after` steps follow each context in the same order, also when it failed, and cannot fail it any more.
 */
export const STAGES = ["prepare", "commit", "after"] as const;
export type Stage = (typeof STAGES)[number];

/** One step over a record of named fields; it sees the fields it requires and nothing else. */
export interface Step<
  Fields extends object,
  Requires extends keyof Fields = keyof Fields,
  Provides extends keyof Fields = keyof Fields,
> {
  readonly name: string;
  readonly stage: Stage;
  readonly requires: readonly Requires[];
  readonly provides: readonly Provides[];
  /** May throw: that fails its own context only. Must not write anywhere unless its stage is `commit` or `after`. */
  run(
    input: Pick<Fields, Requires>,
    signal: AbortSignal | undefined,
  ): Pick<Fields, Provides> | Promise<Pick<Fields, Provides>>;
}

/** A step with its field names forgotten by the type system, as a pipeline holds it; they are checked as data. */
export interface AnyStep<Fields extends object> {
  readonly name: string;
  readonly stage: Stage;
  readonly requires: readonly (keyof Fields)[];
  readonly provides: readonly (keyof Fields)[];
  run(input: Fields, signal: AbortSignal | undefined): Partial<Fields> | Promise<Partial<Fields>>;
}

/** Gives a literal step its inferred `requires` and `provides` types. */
export function stepFactory<Fields extends object>(): <
  const Requires extends keyof Fields,
  const Provides extends keyof Fields,
>(
  step: Step<Fields, Requires, Provides>,
) => Step<Fields, Requires, Provides> {
  return (step) => step;
}
