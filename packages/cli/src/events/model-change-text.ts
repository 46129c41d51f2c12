import type { EventPayload } from "@acumen/agent";

/** What became another one: the model, its thought level, or both. */
export function modelChangeText({
  previous,
  model,
  thought_level: level,
}: EventPayload<"MODEL_CHANGED">): string {
  if (model === previous) return `thought level: ${level ?? "default"}`;
  return `model: ${previous} -> ${model}${level === undefined ? "" : `, thought level ${level}`}`;
}
