/** How much one server does at once and how long it waits. */
export interface ServerLimits {
  /** Requests of one token that are being answered. Default 256. */
  readonly inFlight: number;
  /** Mutating operations of one token. Default 200 a second, bursts of 400. Reads are not limited. */
  readonly mutationsPerSecond: number;
  readonly mutationBurst: number;
  /** Open event streams of one token. Default 64. */
  readonly streams: number;
  /** Between heartbeats of a stream; token and scope are checked again with each. Default 15 s. */
  readonly heartbeatMs: number;
  /** A stream ends after so long, to be resumed. Default 15 minutes. */
  readonly streamMs: number;
  /** A stream whose reader takes nothing for so long is dropped. Default 30 s. */
  readonly stallMs: number;
  /** After a plan was cancelled its sandbox is still to be told of. Default 1 s. */
  readonly lastEventsMs: number;
  /** For the head of a request. Default 10 s. */
  readonly headMs: number;
  /** For a whole request. Default 30 s. */
  readonly requestMs: number;
  /** Requests may finish for so long when the server closes. Default 5 s. */
  readonly drainMs: number;
}

export const SERVER_LIMITS: ServerLimits = {
  inFlight: 256,
  mutationsPerSecond: 200,
  mutationBurst: 400,
  streams: 64,
  heartbeatMs: 15_000,
  streamMs: 15 * 60_000,
  stallMs: 30_000,
  lastEventsMs: 1_000,
  headMs: 10_000,
  requestMs: 30_000,
  drainMs: 5_000,
};
