import type { RemoteDefinition } from "../config/server-definition.ts";

const LOOK_MS = 2_000;

/** Whether a url that takes no messages is the stream of an older server. Says false for anything that goes wrong. */
export async function offersEvents(
  { url, headers }: RemoteDefinition,
  signal: AbortSignal,
): Promise<boolean> {
  try {
    const response = await fetch(url, {
      headers: { ...headers, accept: "text/event-stream" },
      // The headers may hold a key, which is for this address alone.
      redirect: "manual",
      signal: AbortSignal.any([signal, AbortSignal.timeout(LOOK_MS)]),
    });
    const type = response.headers.get("content-type") ?? "";
    await response.body?.cancel();
    return response.ok && type.toLowerCase().startsWith("text/event-stream");
  } catch {
    return false;
  }
}
