import { settingsJsonSchema } from "@acumen/cli";
import { envelopeSchemas, openApiDocument } from "@acumen/facade";

/** Files that are generated whole, by their path from the root. */
export const FILES: Readonly<Record<string, () => string>> = {
  "docs/schemas/config.schema.json": () => asJson(settingsJsonSchema()),
  "docs/schemas/facade.openapi.json": () => asJson(openApiDocument()),
  "docs/schemas/facade-request.schema.json": () => asJson(envelopeSchemas().request),
  "docs/schemas/facade-response.schema.json": () => asJson(envelopeSchemas().response),
  "docs/schemas/facade-event.schema.json": () => asJson(envelopeSchemas().event),
};

function asJson(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
