import { readFileSync } from "node:fs";

const FILES = {
  agent: new URL("../prompts/agent.md", import.meta.url),
  reflector: new URL("../prompts/reflector.md", import.meta.url),
  "skill-manager": new URL("../prompts/skill-manager.md", import.meta.url),
} as const;

export type PromptName = keyof typeof FILES;

const texts = new Map<PromptName, string>();

/** The instructions of a role: `prompts/<name>.md`, read once. */
export function promptText(name: PromptName): string {
  let text = texts.get(name);
  if (text === undefined) {
    text = readFileSync(FILES[name], "utf8").trim();
    texts.set(name, text);
  }
  return text;
}
