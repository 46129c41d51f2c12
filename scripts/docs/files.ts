import { settingsJsonSchema } from "@acumen/cli";

/** Files that are generated whole, by their path from the root. */
export const FILES: Readonly<Record<string, () => string>> = {
  "docs/schemas/config.schema.json": () => `${JSON.stringify(settingsJsonSchema(), null, 2)}\n`,
};
