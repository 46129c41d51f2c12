/** One `notifications/progress` of the protocol. */
export interface ProgressUpdate {
  readonly progress: number;
  readonly total: number;
  readonly message: string;
}

export type SendProgress = (update: ProgressUpdate) => Promise<void>;

export interface ProgressReporter {
  /** `done` units of the total are finished. */
  report(done: number, message: string): void;
  /** After this nothing is sent any more. */
  stop(): void;
}

/** Hosts give up on a silent call after 60 s by default. */
const HEARTBEAT_MS = 5_000;

/**
 * Tells a waiting client how far a call is. Values increase strictly, as the protocol demands: between two finished units
 * the heartbeat moves within the unit (1/2, 2/3, 3/4, …). Without `send` (the client gave no token) nothing happens.
 */
export function startProgress(
  send: SendProgress | undefined,
  total: number,
  message: string,
  heartbeatMs: number = HEARTBEAT_MS,
): ProgressReporter {
  if (send === undefined) return { report: () => undefined, stop: () => undefined };
  let done = 0;
  let beats = 0;
  let last = 0;
  let latest = message;
  let stopped = false;
  const emit = (progress: number): void => {
    if (stopped || progress <= last) return;
    last = progress;
    // A client that went away is noticed by the transport; its progress is nobody's business any more.
    send({ progress, total, message: latest }).catch(() => undefined);
  };
  const timer = setInterval(() => {
    beats += 1;
    if (done < total) emit(done + beats / (beats + 1));
  }, heartbeatMs);
  timer.unref();
  return {
    report: (count, text) => {
      latest = text;
      done = count;
      beats = 0;
      emit(count);
    },
    stop: () => {
      stopped = true;
      clearInterval(timer);
    },
  };
}
