import { boundedResponse } from "./bounded-response.ts";
import { requestIdIn } from "./mended-answer.ts";
import type { HttpFailure } from "./opened-transport.ts";
import { patientDispatcher } from "./patient-dispatcher.ts";

const MAX_MESSAGE_BYTES = 64 * 1024 * 1024;
const MAX_REFUSAL_BYTES = 16 * 1024;

export interface RequestRules {
  /** GET opens the stream that everything comes through, instead of one that a server need not offer. */
  readonly streamCounts: boolean;
  /** That stream has ended. */
  readonly onStreamEnd: () => void;
}

/** Requests to one server: with bounded answers that can be read, and remembered when they fail. */
export class RemoteRequests {
  readonly #rules: RequestRules;
  #failure: HttpFailure | undefined;
  #status: number | undefined;

  constructor(rules: RequestRules) {
    this.#rules = rules;
  }

  get lastFailure(): HttpFailure | undefined {
    return this.#failure;
  }

  get lastStatus(): number | undefined {
    return this.#status;
  }

  /** Like the global one. */
  readonly fetch = async (url: string | URL, init: RequestInit = {}): Promise<Response> => {
    const method = (init.method ?? "GET").toUpperCase();
    const isStream = method === "GET" && this.#rules.streamCounts;
    const counts = method === "POST" || isStream;
    let response: Response;
    try {
      response = await fetch(url, { ...init, dispatcher: patientDispatcher });
    } catch (error) {
      if (counts && init.signal?.aborted !== true) this.#fail({ method, ...codeOf(error) });
      throw error;
    }
    if (counts) this.#note(method, response);
    const asked = method === "POST" ? requestIdIn(init.body) : undefined;
    const resumedFrom = new Headers(init.headers).get("last-event-id");
    return boundedResponse(response, {
      maxMessageBytes: MAX_MESSAGE_BYTES,
      maxRefusalBytes: MAX_REFUSAL_BYTES,
      ...(asked !== undefined && { asked }),
      ...(resumedFrom !== null && { resumedFrom }),
      ...(isStream && response.ok && { onEnd: this.#rules.onStreamEnd }),
    });
  };

  #note(method: string, response: Response): void {
    this.#status = response.status;
    if (response.ok) this.#failure = undefined;
    else {
      const authenticate = response.headers.has("www-authenticate");
      this.#failure = { method, status: response.status, ...(authenticate && { authenticate }) };
    }
  }

  #fail(failure: HttpFailure): void {
    this.#status = undefined;
    this.#failure = failure;
  }
}

/** Deepest first: what is around it only says that a request failed. */
function codeOf(error: unknown): { readonly code?: string } {
  const { cause, code } = (error ?? {}) as { cause?: unknown; code?: unknown };
  const deeper = cause === undefined || cause === error ? {} : codeOf(cause);
  if (deeper.code !== undefined) return deeper;
  return typeof code === "string" ? { code } : {};
}
