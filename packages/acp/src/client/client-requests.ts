import { throwIfAborted, untilAborted } from "@acumen/core";
import type { AgentContext } from "@agentclientprotocol/sdk";
import { type ClientRefusal, refusalOf } from "./client-refusal.ts";
import type { HostPaths } from "./host-paths.ts";

/** How long a host may take to answer what is optional. Milliseconds. */
export const DEADLINE_MS = 10_000;

/** Calls `due` once after so many milliseconds. Returns how to call it off. */
export type Timer = (milliseconds: number, due: () => void) => () => void;

export type ClientAnswer =
  | { readonly type: "answered"; readonly result: unknown }
  | ClientRefusal
  /** The deadline passed. */
  | { readonly type: "silent" }
  /** The connection is closed, or the session is. */
  | { readonly type: "gone" };

interface ClientRequestsOptions {
  readonly client: AgentContext;
  readonly sessionId: () => string;
  /** What the host calls files and folders; default as they are. */
  readonly paths?: HostPaths;
  /** Aborted when the session is closed: nothing new is asked for. */
  readonly ended?: AbortSignal;
  readonly timer?: Timer;
}

/** Paths in them are absolute real ones. */
type AskParams = Readonly<Record<string, unknown>> & {
  readonly path?: string;
  readonly cwd?: string;
};

interface AskOptions {
  /** Ends the waiting and tells the host so. */
  readonly signal?: AbortSignal;
  readonly deadlineMs?: number;
  /** Gives back what the session has of the host, so it is sent while the session closes too. */
  readonly givesBack?: boolean;
  /** Told of an answer that came when nobody waited any more. */
  readonly late?: (answer: ClientAnswer) => void;
}

/** Requests of one session to its host, none of which is waited for without a limit. */
export class ClientRequests {
  readonly #options: ClientRequestsOptions;

  constructor(options: ClientRequestsOptions) {
    this.#options = options;
  }

  /** The request is on its way when this returns its promise. Rejects with the abort's error alone. */
  async ask(method: string, params: AskParams, options: AskOptions = {}): Promise<ClientAnswer> {
    const { signal, deadlineMs = DEADLINE_MS, givesBack = false, late } = options;
    const { client, sessionId, ended, timer = systemTimer } = this.#options;
    throwIfAborted(signal);
    if (ended?.aborted === true && !givesBack) return { type: "gone" };
    const stop = new AbortController();
    const answered = client
      .request<unknown>(
        method,
        { sessionId: sessionId(), ...params, ...this.#named(params) },
        { cancellationSignal: stop.signal, stopWaitingOnCancel: late === undefined },
      )
      .then((result): ClientAnswer => ({ type: "answered", result }), refusalOf);
    let waiting = true;
    if (late !== undefined) void answered.then((answer) => waiting || late(answer));
    let callOff = (): void => undefined;
    const silent = new Promise<ClientAnswer>((resolve) => {
      callOff = timer(deadlineMs, () => resolve({ type: "silent" }));
    });
    try {
      const answer = await untilAborted(Promise.race([answered, silent]), signal);
      waiting = false;
      if (answer.type === "silent") stop.abort();
      return answer;
    } catch (error) {
      waiting = false;
      stop.abort();
      throw error;
    } finally {
      callOff();
    }
  }

  #named({ path, cwd }: AskParams): AskParams {
    const { paths } = this.#options;
    return {
      ...(path !== undefined && { path: paths?.of(path) ?? path }),
      ...(cwd !== undefined && { cwd: paths?.of(cwd) ?? cwd }),
    };
  }
}

const systemTimer: Timer = (milliseconds, due) => {
  const timer = setTimeout(due, milliseconds);
  return () => clearTimeout(timer);
};
