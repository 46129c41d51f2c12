/** True when arrays and objects nest deeper than `limit`; walked level by level, because recursion is what it guards. */
export function nestingExceeds(value: unknown, limit: number): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > limit) return true;
    level = level.flatMap((item) =>
      typeof item === "object" && item !== null
        ? Object.values(item).filter((inner) => typeof inner === "object" && inner !== null)
        : [],
    );
  }
  return false;
}
