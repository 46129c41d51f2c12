import type { ContentBlock } from "@agentclientprotocol/sdk";

/** `/name`, and what stands behind it. */
export interface CommandWords {
  /** In lower case. */
  readonly name: string;
  /** Trimmed. */
  readonly words: string;
}

const COMMAND = /^\/([A-Za-z][\w-]*)(?:\s+([\s\S]*))?$/;

/** Undefined: the text does not begin with a word that could be a command, as `/etc/hosts` does not. */
export function commandWords(text: string): CommandWords | undefined {
  const [, name, words = ""] = COMMAND.exec(text.trim()) ?? [];
  return name === undefined ? undefined : { name: name.toLowerCase(), words: words.trim() };
}

/**
 * The text of a prompt that may be a command: its first text begins with `/`, and it holds nothing but texts and links, which
 * editors add by themselves. A link between two texts is named; any other one is left out. Undefined: it is for the model.
 */
export function commandText(prompt: readonly ContentBlock[]): string | undefined {
  const parts = prompt.flatMap((block) => {
    if (block.type === "text") return [{ text: block.text, link: false }];
    return block.type === "resource_link" ? [{ text: block.name, link: true }] : [undefined];
  });
  const known = parts.filter((part) => part !== undefined);
  if (known.length < parts.length) return undefined;
  const first = known.findIndex(({ link }) => !link);
  const last = known.findLastIndex(({ link }) => !link);
  const text = known
    .slice(Math.max(0, first), last + 1)
    .map((part) => part.text)
    .join("");
  return commandWords(text) === undefined ? undefined : text;
}
