import { isJsonObject } from "@acumen/core";

/** In `_meta`, for the way from the stream to the handler; what a host says there is overwritten. */
const KEY = "acumen/arrival";
const NUMBERED = new Set<unknown>(["session/cancel", "session/prompt"]);

/**
 * Notes on a prompt or a cancel which message of the connection it was. Notifications can be handled after requests that came
 * later, and a cancel is not meant for those.
 */
export function numbered(method: unknown, params: unknown, arrival: number): unknown {
  if (!NUMBERED.has(method) || !isJsonObject(params)) return params;
  const { _meta: meta } = params;
  return { ...params, _meta: { ...(isJsonObject(meta) && meta), [KEY]: arrival } };
}

/** Undefined: it did not come through the stream. */
export function arrivalNumber({
  _meta: meta,
}: {
  readonly _meta?: Readonly<Record<string, unknown>> | null | undefined;
}): number | undefined {
  const arrival = meta?.[KEY];
  return typeof arrival === "number" ? arrival : undefined;
}
