/** Calls back once, later; what it returns takes that back. Injected, so that tests need not wait. */
export type After = (ms: number, then: () => void) => () => void;

/** Does not keep the process alive. */
export const systemAfter: After = (ms, then) => {
  const timer = setTimeout(then, ms);
  timer.unref();
  return () => clearTimeout(timer);
};
