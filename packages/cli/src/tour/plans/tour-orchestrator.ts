import { type AcpEvent, AcpHttpTransport, type AcpResponse, type JsonObject } from "@acumen/facade";
import { cliError } from "../../errors.ts";
import type { PlanServer } from "./plan-server.ts";

/** The orchestrator's side: requests and events over HTTP, with the token. */
export class TourOrchestrator {
  readonly #transport: AcpHttpTransport;
  readonly #signal: AbortSignal | undefined;

  private constructor(transport: AcpHttpTransport, signal: AbortSignal | undefined) {
    this.#transport = transport;
    this.#signal = signal;
  }

  /** The caller ends it with {@link close}. @throws FACADE_NOT_AVAILABLE; the signal's reason */
  static async connect(
    { url, token }: PlanServer,
    signal: AbortSignal | undefined,
  ): Promise<TourOrchestrator> {
    const transport = new AcpHttpTransport({ token });
    await transport.connect(url, { ...(signal && { signal }) });
    return new TourOrchestrator(transport, signal);
  }

  /** @returns the answer's data. @throws CLI_TOUR_FAILED for an answer that is an error; the signal's reason */
  async ask(operation: string, params: JsonObject = {}): Promise<JsonObject> {
    const { error, data }: AcpResponse = await this.#transport.send(
      { operation, params },
      { ...(this.#signal && { signal: this.#signal }) },
    );
    if (error === null) return data;
    throw cliError(
      "CLI_TOUR_FAILED",
      `${operation} was answered with ${error.code}: ${error.message}`,
    );
  }

  /** Until the signal aborts, the plan can change no more or this is closed. */
  events(planId: string, after: number, signal: AbortSignal): AsyncIterable<AcpEvent> {
    const ends = [signal, this.#signal].filter((one) => one !== undefined);
    return this.#transport.events({ plan_id: planId, after, signal: AbortSignal.any(ends) });
  }

  close(): Promise<void> {
    return this.#transport.disconnect();
  }
}
