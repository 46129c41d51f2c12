const AFTER_CHANGE = new WeakSet<Error>();

/** Says that what was asked for was carried out, and then failed: sent again, it would be carried out twice. */
export function afterChange<E extends Error>(error: E): E {
  AFTER_CHANGE.add(error);
  return error;
}

export function isAfterChange(error: unknown): boolean {
  return error instanceof Error && AFTER_CHANGE.has(error);
}
