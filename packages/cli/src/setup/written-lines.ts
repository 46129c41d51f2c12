import { printable } from "../terminal/printable.ts";
import type { Written } from "./write-setup.ts";

/** What was written and where, then what comes next. */
export function writtenLines(
  { settings, credentials }: Written,
  winning: readonly string[],
): string[] {
  const { path, model, endpoints = {} } = settings;
  return [
    `Wrote ${printable(path)}`,
    `  model: ${printable(model)}`,
    ...Object.entries(endpoints).map(([prefix, url]) => `  endpoints.${prefix}: ${printable(url)}`),
    ...(credentials === undefined
      ? []
      : [
          `Wrote ${printable(credentials.path)} (only you can read it)`,
          ...credentials.variables.map((name) => `  ${name}: stored, not shown`),
        ]),
    ...winning.map((name) => `Note: ${name} is set in this environment and wins over the file.`),
    "Next: `acumen doctor --connect` asks the model one tiny question.",
  ];
}
