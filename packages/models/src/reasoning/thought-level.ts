/** How much a model thinks before it answers, from nothing to everything; the words of the services themselves. */
export const THOUGHT_LEVELS = ["none", "minimal", "low", "medium", "high", "xhigh", "max"] as const;
export type ThoughtLevel = (typeof THOUGHT_LEVELS)[number];

export function isThoughtLevel(value: unknown): value is ThoughtLevel {
  return THOUGHT_LEVELS.some((level) => level === value);
}
