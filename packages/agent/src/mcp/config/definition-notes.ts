import { closest, isJsonObject } from "@acumen/core";
import { OUR_KEYS, shownKey } from "./definition-shape.ts";

/** Keys that have a meaning of their own elsewhere or here: not one of them is a slip. */
const FOREIGN = new Set([
  "alwaysAllow",
  "autoApprove",
  "cmd",
  "description",
  "disabled",
  "enabled",
  "environment",
  "excludeTools",
  "httpUrl",
  "includeTools",
  "name",
  "serverUrl",
  "timeout",
  "tools",
  "transport",
  "transportType",
  "trust",
  "type",
]);
const MAX_NOTES = 5;

/** What a definition says in vain: keys that are almost ours, and that it is switched off. Holds no values; never throws. */
export function definitionNotes(name: string, raw: unknown): readonly string[] {
  if (!isJsonObject(raw)) return [];
  const slips = Object.keys(raw).flatMap((key) => {
    const isKnown = OUR_KEYS.has(key) || FOREIGN.has(key);
    const meant = isKnown ? undefined : closest(key, [...OUR_KEYS]);
    return meant === undefined
      ? []
      : [`\`${shownKey(key)}\` means nothing. Is it meant to be \`${meant}\`?`];
  });
  const off =
    raw["disabled"] === true
      ? [
          `\`disabled\` means nothing here: a server is used where a workspace enables it. \`acumen mcp disable ${name}\` uses it no more in one.`,
        ]
      : [];
  return [...off, ...slips].slice(0, MAX_NOTES);
}
