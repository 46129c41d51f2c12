import { PROVIDERS, type ProviderRow } from "@acumen/models";
import { markdownTable } from "./markdown-table.ts";

/** One line for each prefix of a model id. */
export function providerTable(): string {
  return markdownTable(
    ["id", "provider", "key", "base URL", "package", "notes"],
    PROVIDERS.map((row) => [
      `\`${row.prefix}/…\``,
      row.title,
      keys(row),
      address(row),
      row.peer === undefined ? "built in" : `\`${row.package}@${row.peer}\``,
      row.notes ?? "",
    ]),
  );
}

function keys({ keyVariables, keyOptional }: ProviderRow): string {
  return `${names(keyVariables)}${keyOptional === true ? " (optional)" : ""}`;
}

function address({ baseUrlVariables, defaultBaseUrl }: ProviderRow): string {
  const usual = defaultBaseUrl === undefined ? "" : `; default \`${defaultBaseUrl}\``;
  return `${names(baseUrlVariables)}${usual}`;
}

function names(variables: readonly string[]): string {
  return variables.map((variable) => `\`${variable}\``).join(", ");
}
