import { CACHE_MARK, type ModelMessages } from "@acumen/models";

/** A part of the user message; a stable one is the same from call to call, which prompt caches can use. */
export interface PromptPart {
  readonly text: string;
  readonly stable?: boolean;
}

/** Instructions as the system text, everything that came from outside in one user message. */
export function promptMessages(system: string, parts: readonly PromptPart[]): ModelMessages {
  return [
    { role: "system", content: system },
    {
      role: "user",
      content: parts.map(({ text, stable = false }) => ({
        type: "text" as const,
        text,
        ...(stable && { providerOptions: CACHE_MARK }),
      })),
    },
  ];
}
