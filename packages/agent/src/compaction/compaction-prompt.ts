import { readFileSync } from "node:fs";

const FILE = new URL("../../prompts/compaction.md", import.meta.url);

/** What the model is asked for. `leftOut`: older messages that did not fit into the request. */
export function compactionPrompt(options: {
  readonly words: number;
  readonly leftOut: number;
  readonly reminder?: string;
}): string {
  const text = readFileSync(FILE, "utf8").trim();
  return [
    text.replace("{{words}}", String(options.words)),
    ...(options.leftOut > 0
      ? [
          `${options.leftOut} older messages did not fit and do not stand above. Say under "Done" that they are missing.`,
        ]
      : []),
    ...(options.reminder === undefined ? [] : [options.reminder]),
  ].join("\n\n");
}
