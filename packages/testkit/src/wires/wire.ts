import type { IncomingHttpHeaders } from "node:http";
import type { JsonObject } from "./json-read.ts";
import type { NeutralRequest } from "./neutral-request.ts";
import type { PreparedReply } from "./prepared-reply.ts";

export const WIRE_NAMES = [
  "openai-responses",
  "openai-chat",
  "openai-compatible",
  "anthropic",
  "google",
] as const;
export type WireName = (typeof WIRE_NAMES)[number];

/** A whole HTTP answer; an object goes out as JSON, a string as it is. */
export interface HttpReply {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/**
 * One event of a stream. `open` comes before anything was said, `close` tells that the answer is complete:
 * the faults cut a stream by these phases.
 */
export interface StreamEvent {
  readonly event?: string;
  /** An object goes out as JSON, a string as it is. */
  readonly data: unknown;
  readonly phase: "open" | "delta" | "close";
}

/** One answer in both forms of the wire. */
export interface WireReply {
  readonly body: JsonObject;
  readonly events: readonly StreamEvent[];
}

/** One reason to refuse a request; the first one is what the service answers. */
export interface Issue {
  readonly message: string;
  readonly param?: string;
  readonly code?: string;
  /** Default 400. */
  readonly status?: number;
}
export type Report = (issue: Issue) => void;

export type ErrorFault =
  | "401"
  | "403"
  | "429"
  | "quota"
  | "500"
  | "503"
  | "529"
  | "context-length"
  | "content-filter";

export interface ErrorContext {
  readonly model: string;
  /** Some services repeat parts of it in the error text. */
  readonly key: string;
  readonly retryAfter?: number;
}

/** The error bodies of one service. */
export interface WireErrors {
  missingKey(): HttpReply;
  wrongKey(key: string): HttpReply;
  unknownModel(model: string): HttpReply;
  notFound(method: string, path: string): HttpReply;
  invalidJson(): HttpReply;
  rejected(issues: readonly Issue[]): HttpReply;
  /** A service that answers a blocked prompt with 200 gives a `WireReply`. */
  fault(fault: ErrorFault, context: ErrorContext): HttpReply | WireReply;
  inStream(): StreamEvent;
}

/** What the path of a request asks for. */
export type Route =
  | { readonly kind: "models" }
  | { readonly kind: "generate"; readonly model?: string; readonly stream?: boolean };

export interface GenerateCall {
  readonly model: string;
  readonly stream: boolean;
  readonly body: JsonObject;
  readonly headers: IncomingHttpHeaders;
}

/** One provider's protocol. An instance belongs to one server: it remembers what it issued. */
export interface Wire {
  readonly name: WireName;
  /** What a provider package takes as base URL, below the origin. */
  readonly basePath: string;
  readonly errors: WireErrors;
  route(method: string, path: string): Route | undefined;
  /** Headers that every answer carries. */
  headers(): Readonly<Record<string, string>>;
  keyOf(headers: IncomingHttpHeaders, query: URLSearchParams): string | undefined;
  /** Whether the service has this model when the test named none. */
  knows(model: string): boolean;
  listModels(models: readonly string[]): JsonObject;
  validate(call: GenerateCall, report: Report): void;
  /** Called for valid requests only. */
  view(call: GenerateCall): NeutralRequest;
  write(reply: PreparedReply, call: GenerateCall): WireReply;
}

export function isWireReply(reply: HttpReply | WireReply): reply is WireReply {
  return "events" in reply;
}
