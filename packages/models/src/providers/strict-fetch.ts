/**
 * `fetch` that follows no redirect: at a change of host it drops `Authorization`, but would carry `x-api-key`,
 * `x-goog-api-key` and `api-key` to the new one.
 */
export function strictFetch(inner: typeof fetch): typeof fetch {
  return (input, init) => inner(input, { ...init, redirect: "manual" });
}
