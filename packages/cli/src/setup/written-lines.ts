import { printable } from "../terminal/printable.ts";
import type { Written } from "./write-setup.ts";

/** What cannot be read from the files. */
interface AfterWriting {
  /** Variables of the environment that win over the files. */
  readonly winning: readonly string[];
  /** The known model that a misspelt one probably meant. */
  readonly meant: string | undefined;
  readonly next: readonly string[];
}

/** What was written and where, then what comes next. */
export function writtenLines(
  { settings, credentials }: Written,
  { winning, meant, next }: AfterWriting,
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
    ...(meant === undefined
      ? []
      : ["Note: not in the table of known models; did you mean", `  ${printable(meant)}?`]),
    ...next,
  ];
}
