import { readFileSync } from "node:fs";

const FILES = {
  system: new URL("../prompts/system.md", import.meta.url),
} as const;

export type PromptName = keyof typeof FILES;

/** The text of `prompts/<name>.md`. */
export function promptText(name: PromptName): string {
  return readFileSync(FILES[name], "utf8").trim();
}
