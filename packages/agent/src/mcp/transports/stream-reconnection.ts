import type { ReconnectionScheduler } from "@modelcontextprotocol/client";

const MIN_DELAY_MS = 100;
const MAX_DELAY_MS = 30_000;
/** Streams that go on to end at once are asked for more slowly. */
const PATIENT_AFTER = 20;
const PATIENT_MS = 2000;
const CALM_MS = 5000;

/** Waits as long as the server wishes, within bounds: its wish may be zero, and its streams may end as soon as they begin. */
export function reconnectionScheduler(): ReconnectionScheduler {
  let quick = 0;
  let last = Number.NEGATIVE_INFINITY;
  return (reconnect, wished) => {
    const now = performance.now();
    quick = now - last < CALM_MS ? quick + 1 : 0;
    last = now;
    const least = quick > PATIENT_AFTER ? PATIENT_MS : MIN_DELAY_MS;
    const timer = setTimeout(reconnect, Math.min(Math.max(wished, least), MAX_DELAY_MS));
    timer.unref();
    return () => clearTimeout(timer);
  };
}
