import { createId } from "@acumen/core";
import { z } from "zod";
import { isObject, jsonObjectSchema, type JsonValue } from "./json-value.ts";

export const ACP_VERSION = "1.0";

/** Printable ASCII, as it goes into logs and headers. */
const PRINTABLE = /^[\x21-\x7e]+$/;
/** Version ff and ids of nothing but zeros are none. */
const TRACE_PARENT = /^(?!ff)[\da-f]{2}-(?!0{32})[\da-f]{32}-(?!0{16})[\da-f]{16}-[\da-f]{2}$/;

export const acpRequestSchema = z.strictObject({
  /** A patch part is ignored. */
  acp_version: z
    .string()
    .regex(/^\d{1,6}\.\d{1,6}(?:\.\d{1,6})?$/, 'expected major.minor, such as "1.0"')
    .default(ACP_VERSION),
  request_id: z
    .string()
    .max(128)
    .regex(PRINTABLE, "expected 1 to 128 printable ASCII characters without spaces")
    .default(() => createId()),
  operation: z.string().min(1).max(128),
  params: jsonObjectSchema.default({}),
  /** Never logged, echoed or believed: who asks is known by the transport. */
  auth: jsonObjectSchema.nullable().default(null),
  idempotency_key: z
    .string()
    .max(255)
    .regex(PRINTABLE, "expected 1 to 255 printable ASCII characters without spaces")
    .exactOptional(),
  deadline_ms: z.number().int().min(1).max(600_000).exactOptional(),
  /** W3C trace context of the caller; what the log tells of the request names it. */
  trace: z
    .strictObject({
      traceparent: z.string().regex(TRACE_PARENT, "expected version-traceid-parentid-flags in hex"),
      tracestate: z
        .string()
        .max(512)
        .regex(/^[\x20-\x7e]*$/, "expected printable ASCII")
        .exactOptional(),
    })
    .exactOptional(),
});
/** With every default filled in. */
export type ParsedAcpRequest = z.output<typeof acpRequestSchema>;
/** What a caller writes: only `operation` is needed. */
export type AcpRequest = z.input<typeof acpRequestSchema>;

/**
 * What the schema gives for a request of the usual form, at a small part of its cost; undefined for every other, which the schema is to
 * judge.
 * @param request JSON
 */
export function plainRequest(request: JsonValue): ParsedAcpRequest | undefined {
  if (!isObject(request)) return undefined;
  for (const key in request) if (!USUAL_KEYS.has(key)) return undefined;
  const { acp_version: version = ACP_VERSION, auth = null, operation, params = {} } = request;
  const { request_id: id = createId() } = request;
  const isUsual = version === ACP_VERSION && auth === null;
  if (!isUsual || !isRequestId(id) || !isName(operation) || !isObject(params)) return undefined;
  return { acp_version: ACP_VERSION, request_id: id, operation, params, auth: null };
}

const USUAL_KEYS: ReadonlySet<string> = new Set([
  "acp_version",
  "request_id",
  "operation",
  "params",
  "auth",
]);

function isName(operation: unknown): operation is string {
  return typeof operation === "string" && operation.length > 0 && operation.length <= 128;
}

function isRequestId(id: unknown): id is string {
  return typeof id === "string" && id.length <= 128 && PRINTABLE.test(id);
}

/** The id of a request that may be none, as far as it can be told; else a new one. */
export function requestIdOf(request: unknown): string {
  try {
    const id: unknown = (request as Partial<Record<"request_id", unknown>> | null)?.request_id;
    if (isRequestId(id)) return id;
  } catch {
    // Of an object that cannot be read.
  }
  return createId();
}
