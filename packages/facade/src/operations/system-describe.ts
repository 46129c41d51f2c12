import { z } from "zod";
import { ACP_ERROR_CODES } from "../envelope/acp-error-detail.ts";
import { ACP_VERSION } from "../envelope/acp-request.ts";
import { jsonObjectSchema, type JsonObject } from "../envelope/json-value.ts";
import { AcpVersionNegotiator } from "../envelope/version-negotiator.ts";
import { PROFILE_NAMES } from "../plans/profile.ts";
import { SCOPES } from "../access/scope.ts";
import { defineOperation, type Operation } from "./operation.ts";

const described = z.looseObject({
  name: z.string(),
  summary: z.string(),
  scope: z.enum(SCOPES).nullable(),
  mutating: z.boolean(),
  params: jsonObjectSchema,
  output: jsonObjectSchema,
});

export const systemDescribe = defineOperation({
  name: "system.describe",
  summary: "Versions, operations with their schemas, error codes, profiles and scopes.",
  params: z.strictObject({}),
  output: z.looseObject({
    acp_version: z.string(),
    supported_versions: z.array(z.string()),
    operations: z.array(described),
    error_codes: z.array(z.string()),
    profiles: z.array(z.string()),
    scopes: z.array(z.string()),
  }),
  scope: null,
  mutating: false,
  run: async (_params, { operations }) => ({
    acp_version: ACP_VERSION,
    supported_versions: [...AcpVersionNegotiator.SUPPORTED],
    operations: operations.map(describe),
    error_codes: [...ACP_ERROR_CODES],
    profiles: [...PROFILE_NAMES],
    scopes: [...SCOPES],
  }),
});

function describe({ name, summary, scope, mutating, params, output }: Operation) {
  return {
    name,
    summary,
    scope,
    mutating,
    params: schemaOf(params, "input"),
    output: schemaOf(output, "output"),
  };
}

/** JSON Schema (draft 2020-12) of what goes over the wire. */
export function schemaOf(schema: z.ZodType, io: "input" | "output"): JsonObject {
  return z.toJSONSchema(schema, { io, unrepresentable: "any" }) as unknown as JsonObject;
}
