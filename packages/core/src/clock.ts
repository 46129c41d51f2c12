/** Time as a dependency, so that tests can move it. */
export interface Clock {
  /** Wall-clock time, for records that people read. */
  now(): Date;
  /** Milliseconds of a clock that never jumps, for deadlines and idle times. */
  monotonicMs(): number;
}

export const systemClock: Clock = {
  now: () => new Date(),
  monotonicMs: () => performance.now(),
};
