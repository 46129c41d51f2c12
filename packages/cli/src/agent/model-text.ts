import type { CodingSession } from "@acumen/agent";

/** Such as `gpt-5.1, thought level high`. */
export function modelText({
  model,
  thoughtLevel,
}: Pick<CodingSession, "model" | "thoughtLevel">): string {
  return thoughtLevel === undefined ? model : `${model}, thought level ${thoughtLevel}`;
}
