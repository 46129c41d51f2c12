import { ACP_ERROR_CODES } from "../envelope/acp-error-detail.ts";
import { acpEventSchema } from "../envelope/acp-event.ts";
import { ACP_VERSION, acpRequestSchema } from "../envelope/acp-request.ts";
import { acpResponseSchema } from "../envelope/acp-response.ts";
import type { JsonObject, JsonValue } from "../envelope/json-value.ts";
import { ACP_EVENT_TYPES } from "../events/event-types.ts";
import type { Operation } from "../operations/operation.ts";
import { OPERATION_LIST } from "../operations/operation-table.ts";
import { schemaOf } from "../operations/system-describe.ts";
import { eventQuerySchema, EVENTS_PATH } from "./event-query.ts";
import { HTTP_STATUS } from "./http-status.ts";
import { MAX_BODY_BYTES } from "./read-request.ts";

const ULID = /^[0-9A-HJKMNP-TV-Z]{26}$/;
const DIALECT = "https://json-schema.org/draft/2020-12/schema";
const json = (schema: JsonObject): JsonObject => ({ "application/json": { schema } });
const reference = (name: string): JsonObject => ({ $ref: `#/components/schemas/${name}` });

let cached: JsonObject | undefined;

/** OpenAPI 3.1 of the server, made from the table of operations. */
export function openApiDocument(): JsonObject {
  return (cached ??= document());
}

/** JSON Schemas of the envelope and the event, by name. */
export function envelopeSchemas(): Readonly<Record<"request" | "response" | "event", JsonObject>> {
  return {
    request: standalone("A request", plainSchema(acpRequestSchema, "input")),
    response: standalone("A response", plainSchema(acpResponseSchema, "output")),
    event: standalone("An event", plainSchema(acpEventSchema, "output")),
  };
}

function document(): JsonObject {
  return {
    openapi: "3.1.0",
    info: {
      title: "Agent Communication Protocol",
      version: ACP_VERSION,
      description:
        "Plans that a coding agent works on: created, watched, reviewed and applied. Every body is an envelope, whatever went wrong.",
    },
    jsonSchemaDialect: DIALECT,
    security: [{ token: [] }],
    paths: {
      "/acp/v1/dispatch": { post: dispatchPath() },
      [EVENTS_PATH]: { get: eventsPath() },
      "/acp/v1/describe": {
        get: {
          operationId: "describe",
          summary: "The answer of system.describe.",
          responses: {
            200: answer(reference("system.describe.response")),
            ...failures([400, 401, 403, 429, 500, 503]),
          },
        },
      },
      "/openapi.json": {
        get: {
          operationId: "openapi",
          summary: "This document.",
          responses: {
            200: { description: "OpenAPI 3.1.", content: json({ type: "object" }) },
            ...failures([401, 403, 503]),
          },
        },
      },
      "/livez": { get: probePath("livez", "The process answers.", [200]) },
      "/readyz": { get: probePath("readyz", "Its store answers too.", [200, 503]) },
    },
    components: {
      securitySchemes: {
        token: { type: "http", scheme: "bearer", description: "acm_ and 40 letters or digits." },
      },
      schemas: {
        Request: plainSchema(acpRequestSchema, "input"),
        Response: plainSchema(acpResponseSchema, "output"),
        Event: plainSchema(acpEventSchema, "output"),
        ...Object.fromEntries(OPERATION_LIST.flatMap(schemasOf)),
      },
    },
  };
}

function dispatchPath(): JsonObject {
  const names = OPERATION_LIST.map(({ name }) => name);
  const mapping = Object.fromEntries(
    names.map((name) => [name, `#/components/schemas/${name}.request`]),
  );
  return {
    operationId: "dispatch",
    summary: "Carries out one operation.",
    description: `At most ${MAX_BODY_BYTES / 1024} KiB. A client that goes away cancels nothing.`,
    parameters: [
      header("ACP-Version", "Must agree with acp_version.", { type: "string" }),
      header("Idempotency-Key", "Carries a changing operation out once; kept for 24 hours.", {
        type: "string",
        minLength: 1,
        maxLength: 255,
      }),
    ],
    requestBody: {
      required: true,
      content: json({
        oneOf: names.map((name) => reference(`${name}.request`)),
        discriminator: { propertyName: "operation", mapping },
      }),
    },
    responses: {
      200: {
        description: "Done.",
        headers: {
          "Idempotency-Replayed": {
            description: "The answer of an earlier request with the same key.",
            schema: { const: "true" },
          },
        },
        content: json({ anyOf: names.map((name) => reference(`${name}.response`)) }),
      },
      ...failures(Object.values(HTTP_STATUS)),
    },
  };
}

function eventsPath(): JsonObject {
  const { properties } = plainSchema(eventQuerySchema, "input");
  const queries = Object.entries(properties as Readonly<Record<string, JsonObject>>).map(
    ([name, schema]) => ({
      name,
      in: "query",
      schema,
      ...(schema["type"] === "array" && { style: "form", explode: false }),
    }),
  );
  return {
    operationId: "events",
    summary: "Events as they come: first a snapshot, or what is missing after a cursor.",
    description: `Each frame: id = seq, event = type, data = the event. Types: ${ACP_EVENT_TYPES.join(", ")}, and x. with a name; a family as in plan.*, or *.`,
    parameters: [
      ...queries,
      header("Last-Event-ID", "Seq of the last event that was received.", { type: "string" }),
    ],
    responses: {
      200: {
        description: "Server-sent events.",
        content: { "text/event-stream": { schema: reference("Event") } },
      },
      ...failures([400, 401, 403, 404, 410, 429, 500, 503]),
    },
  };
}

/** Request and response of one operation. */
function schemasOf({ name, summary, scope, mutating, params, output }: Operation) {
  const envelope = plainSchema(acpRequestSchema, "input");
  const parameters = plainSchema(params, "input");
  const needsParams = Array.isArray(parameters["required"]) && parameters["required"].length > 0;
  const answered = plainSchema(acpResponseSchema.options[0], "output");
  return [
    [
      `${name}.request`,
      {
        ...envelope,
        description: summary,
        properties: {
          ...(envelope["properties"] as JsonObject),
          operation: { const: name },
          params: parameters,
        },
        required: ["operation", ...(needsParams ? ["params"] : [])],
        "x-acumen-scope": scope,
        "x-acumen-mutating": mutating,
      },
    ],
    [
      `${name}.response`,
      {
        ...answered,
        properties: {
          ...(answered["properties"] as JsonObject),
          data: plainSchema(output, "output"),
        },
      },
    ],
  ] as const;
}

function failures(statuses: readonly number[]): JsonObject {
  const unique = [...new Set(statuses)].toSorted((a, b) => a - b);
  return Object.fromEntries(
    unique.map((status) => {
      const codes = ACP_ERROR_CODES.filter((code) => HTTP_STATUS[code] === status);
      return [status, { description: codes.join(", "), content: json(reference("Response")) }];
    }),
  );
}

function answer(schema: JsonObject): JsonObject {
  return { description: "Done.", content: json(schema) };
}

function probePath(operationId: string, summary: string, statuses: readonly number[]): JsonObject {
  const responses = statuses.map((status) => [
    status,
    { description: summary, content: json(reference("Response")) },
  ]);
  return { operationId, summary, security: [], responses: Object.fromEntries(responses) };
}

function header(name: string, description: string, schema: JsonObject): JsonObject {
  return { name, in: "header", description, schema };
}

function standalone(title: string, schema: JsonObject): JsonObject {
  const { type, ...rest } = schema;
  return {
    $schema: DIALECT,
    title: `${title} of the Agent Communication Protocol ${ACP_VERSION}`,
    ...(type !== undefined && { type }),
    ...rest,
  };
}

/** Any JSON is written as `{}`, so that nothing refers to a place outside the schema. */
function plainSchema(schema: Parameters<typeof schemaOf>[0], io: "input" | "output"): JsonObject {
  const { $schema: _dialect, $defs: _definitions, ...plain } = schemaOf(schema, io);
  return withoutReferences(plain) as JsonObject;
}

function withoutReferences(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(withoutReferences);
  if (typeof value !== "object" || value === null) return value;
  if ("$ref" in value) return {};
  // An id that is new each time is no default to write down.
  const entries = Object.entries(value).filter(
    ([key, inner]) => !(key === "default" && typeof inner === "string" && ULID.test(inner)),
  );
  return Object.fromEntries(entries.map(([key, inner]) => [key, withoutReferences(inner)]));
}
