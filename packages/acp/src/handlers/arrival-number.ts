import { isJsonObject } from "@acumen/core";

/** In `_meta`, for the way from the stream to the handler; what a host says there is overwritten. */
const KEY = "acumen/arrival";
const NUMBERED = new Set<unknown>(["session/cancel", "session/prompt"]);
const REQUEST_CANCELLED = -32_800;

/**
 * Notes on a prompt or a cancel which message of the connection it was. Notifications can be handled after requests that came
 * later, and a cancel is not meant for those.
 */
export function numbered(method: unknown, params: unknown, arrival: number): unknown {
  if (!NUMBERED.has(method) || !isJsonObject(params)) return params;
  return { ...params, _meta: noted(params["_meta"], arrival) };
}

/** The same on an answer that may cancel: what a permission got, or that its request was cancelled. */
export function numberedAnswer(
  answer: Readonly<Record<string, unknown>>,
  arrival: number,
): Readonly<Record<string, unknown>> {
  const { result, error } = answer;
  if (isJsonObject(result) && isJsonObject(result["outcome"])) {
    return { ...answer, result: { ...result, _meta: noted(result["_meta"], arrival) } };
  }
  if (!isJsonObject(error) || error["code"] !== REQUEST_CANCELLED) return answer;
  return { ...answer, error: { ...error, data: { _meta: noted(undefined, arrival) } } };
}

function noted(meta: unknown, arrival: number): Readonly<Record<string, unknown>> {
  return { ...(isJsonObject(meta) && meta), [KEY]: arrival };
}

/** Undefined: it did not come through the stream. */
export function arrivalNumber({ _meta: meta }: { readonly _meta?: unknown }): number | undefined {
  const arrival = isJsonObject(meta) ? meta[KEY] : undefined;
  return typeof arrival === "number" ? arrival : undefined;
}
