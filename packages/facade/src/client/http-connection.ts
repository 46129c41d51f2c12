import { errnoOf } from "@acumen/core";
import { z } from "zod";
import { type AcpErrorDetail, acpErrorDetailSchema } from "../envelope/acp-error-detail.ts";
import { ACP_VERSION } from "../envelope/acp-request.ts";
import { AcpNotAvailableError, type ErrorRest } from "../errors/acp-error.ts";
import { AuthenticationError, ValidationError } from "../errors/domain-error.ts";

/** An answer that is an envelope. Newer servers may add to it. */
const answerSchema = z.looseObject({
  acp_version: z.string(),
  request_id: z.string(),
  status: z.enum(["ok", "error"]),
  data: z.record(z.string(), z.unknown()),
  error: acpErrorDetailSchema.loose().nullable(),
});

/** Refusals that pass. */
const PASSING_STATUSES: ReadonlySet<number> = new Set([408, 425, 429]);
/** Codes of OpenSSL and of the check of certificates. */
const TLS_ERRNO = /^(ERR_(TLS|SSL)_|CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_)|_CERT(_|$)/;

/** One server: where it is and who asks. */
export class HttpConnection {
  readonly url: string;
  readonly #token: string;
  /** Ends with the connection. */
  readonly #end = new AbortController();

  /** @throws ValidationError for what is no address of HTTP; AuthenticationError for what cannot be a token */
  constructor(url: string, token: string) {
    this.url = checkedUrl(url);
    // The error of a header that is not valid would show the token.
    if (!/^[\x21-\x7e]*$/.test(token)) {
      throw new AuthenticationError(
        "The token holds a space, a line break or another character that no token has; copy it anew.",
      );
    }
    this.#token = token;
  }

  get signal(): AbortSignal {
    return this.#end.signal;
  }

  close(): void {
    this.#end.abort(new AcpNotAvailableError("The connection to the server was closed."));
  }

  /**
   * The token goes to this server alone: a redirection is not followed.
   * @throws AcpNotAvailableError when nobody answers; the signal's reason after an abort
   */
  async fetch(path: string, init: RequestInit, signal: AbortSignal): Promise<Response> {
    const headers = new Headers(init.headers);
    if (!headers.has("acp-version")) headers.set("acp-version", ACP_VERSION);
    if (this.#token !== "") headers.set("authorization", `Bearer ${this.#token}`);
    let response: Response;
    try {
      response = await fetch(this.url + path, { ...init, headers, signal, redirect: "manual" });
    } catch (error) {
      this.signal.throwIfAborted();
      signal.throwIfAborted();
      throw this.#failed(error);
    }
    if (response.status >= 300 && response.status < 400) {
      await response.body?.cancel();
      throw this.unreachable("it redirects elsewhere, where the token is not sent", {
        retryable: false,
      });
    }
    return response;
  }

  /** @throws AcpNotAvailableError when the answer is no envelope */
  async envelope(response: Response): Promise<Envelope> {
    let value: unknown;
    try {
      value = await response.json();
    } catch (error) {
      this.signal.throwIfAborted();
      throw this.#noEnvelope(response, error);
    }
    const parsed = answerSchema.safeParse(value);
    if (parsed.success) return parsed.data as Envelope;
    throw this.#noEnvelope(response);
  }

  unreachable(reason: string, rest: ErrorRest = {}): AcpNotAvailableError {
    return new AcpNotAvailableError(
      `No server of the Agent Communication Protocol answers at ${this.url}: ${reason}. Start one with \`acumen serve\`, or check the address.`,
      { retryable: true, ...rest, details: { url: this.url, ...rest.details } },
    );
  }

  /** Of something that stands before the server, or of another one. */
  #noEnvelope({ status }: Response, cause?: unknown): AcpNotAvailableError {
    const isRefusal = status >= 400 && status < 500 && !PASSING_STATUSES.has(status);
    const rest = { retryable: !isRefusal, ...(cause !== undefined && { cause }) };
    return this.unreachable(`status ${status} without an envelope`, rest);
  }

  #failed(cause: unknown): AcpNotAvailableError {
    const errno = errnoOf(cause instanceof Error ? cause.cause : undefined) ?? errnoOf(cause);
    if (errno === undefined) return this.unreachable("the connection failed", { cause });
    const details = { errno };
    if (!TLS_ERRNO.test(errno)) return this.unreachable(errno, { cause, details });
    const reason = `the certificate or the TLS of the server is not accepted (${errno}; NODE_EXTRA_CA_CERTS names the file of an authority to trust)`;
    return this.unreachable(reason, { cause, details, retryable: false });
  }
}

export interface Envelope {
  readonly acp_version: string;
  readonly request_id: string;
  readonly status: "ok" | "error";
  readonly data: Readonly<Record<string, unknown>>;
  readonly error: AcpErrorDetail | null;
}

function checkedUrl(url: string): string {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  const isHttp = parsed?.protocol === "http:" || parsed?.protocol === "https:";
  if (parsed === undefined || !isHttp || parsed.username !== "" || parsed.password !== "") {
    const message = "expected an address such as http://127.0.0.1:4747, without a user";
    throw new ValidationError(`The address of the server is not valid: ${message}.`, [
      { path: ["url"], message },
    ]);
  }
  return (parsed.origin + parsed.pathname).replace(/\/+$/, "");
}
