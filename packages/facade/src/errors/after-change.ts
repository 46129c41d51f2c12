const AFTER_CHANGE = new WeakSet<Error>();

/** Says that what was asked for was carried out, and then failed: sent again, it would be carried out twice. */
export function afterChange<E extends Error>(error: E): E {
  AFTER_CHANGE.add(error);
  return error;
}

export function isAfterChange(error: unknown): boolean {
  return error instanceof Error && AFTER_CHANGE.has(error);
}

/** What a change gives, as it is shown. @throws what showing it throws, as a failure after the change */
export function shownAfterChange<T>(view: () => T): T {
  try {
    return view();
  } catch (cause) {
    throw afterChange(cause instanceof Error ? cause : new Error("Not shown.", { cause }));
  }
}
