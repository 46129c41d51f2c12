import { createHash } from "node:crypto";
import { AcumenError, type Clock, createId } from "@acumen/core";
import type { Principal } from "../access/principal.ts";
import { type AcpResponse, acpResponseSchema } from "../envelope/acp-response.ts";
import type { JsonObject } from "../envelope/json-value.ts";
import { AcpError } from "../errors/acp-error.ts";
import { ConflictError } from "../errors/domain-error.ts";
import { FacadeClosedError } from "../errors/facade-closed.ts";
import type { FacadeStore, IdempotencyRecord } from "../store/facade-store.ts";

const RETRY_AFTER_MS = 1_000;

export interface KeyedRequest {
  readonly principal: Principal;
  readonly operation: string;
  readonly params: JsonObject;
  readonly key: string;
}

/** Requests with an idempotency key: carried out once, answered again from the store. */
export class KeyedRequests {
  readonly #store: FacadeStore;
  readonly #clock: Clock;
  /** Of this process. A record without an answer that is not among them was left by a process that died. */
  readonly #running = new Set<string>();

  constructor(store: FacadeStore, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  /**
   * Runs `act` unless the key has an answer, or the caller has given up meanwhile. What it returns is kept; what it throws has changed
   * nothing, and may be tried again.
   * @throws AcpError FACADE_IDEMPOTENCY_MISMATCH for other params under the same key; ConflictError while the first one runs
   */
  async once(
    request: KeyedRequest,
    act: (reservedId: string) => Promise<AcpResponse>,
  ): Promise<{ readonly response: AcpResponse; readonly replayed: boolean }> {
    const { principal, operation, key } = request;
    const scope = JSON.stringify([principal.owner, principal.tokenId, operation]);
    const record: IdempotencyRecord = {
      scope,
      key,
      fingerprint: fingerprintOf(request.params),
      reserved_id: createId(),
      response: null,
      created_at: this.#clock.now().toISOString(),
    };
    const name = JSON.stringify([scope, key]);
    const known = await this.#store.beginKeyed(record);
    if (known !== undefined && known.fingerprint !== record.fingerprint) {
      throw new AcpError(
        "FACADE_IDEMPOTENCY_MISMATCH",
        `The idempotency key was used for ${operation} with other parameters; use a new one.`,
      );
    }
    if (known !== undefined && known.response !== null) {
      return { response: acpResponseSchema.parse(known.response), replayed: true };
    }
    if (this.#running.has(name)) throw stillRunning(operation);
    this.#running.add(name);
    try {
      const response = await act((known ?? record).reserved_id);
      await this.#store.finishKeyed(scope, key, response as unknown as JsonObject);
      return { response, replayed: false };
    } catch (error) {
      // The work goes on, or may be done already; its key stays, so that the next one finds what it made.
      if (!isCutOff(error)) await this.#store.dropKeyed(scope, key);
      throw error;
    } finally {
      this.#running.delete(name);
    }
  }
}

/** After a deadline or a close. */
function isCutOff(error: unknown): boolean {
  const isLate = AcumenError.isInstance(error) && error.code === "FACADE_TIMEOUT";
  return isLate || error instanceof FacadeClosedError;
}

function stillRunning(operation: string): ConflictError {
  return new ConflictError(`The same ${operation} with this idempotency key is still running.`, {
    retryable: true,
    details: { retry_after_ms: RETRY_AFTER_MS },
  });
}

/** The order of keys does not matter. */
function fingerprintOf(params: JsonObject): string {
  return createHash("sha256").update(canonical(params)).digest("hex");
}

function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, each: unknown) =>
    typeof each === "object" && each !== null && !Array.isArray(each)
      ? Object.fromEntries(Object.entries(each).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : each,
  );
}
