import type { ThoughtLevel } from "@acumen/models";

/** As events have it: absent is the model's default. */
export function levelField(level: ThoughtLevel | null | undefined): {
  readonly thought_level?: ThoughtLevel;
} {
  return level === null || level === undefined ? {} : { thought_level: level };
}
