import { readFileSync } from "node:fs";

interface StoredSkill {
  readonly id: string;
  readonly content: string;
  readonly status: string;
}

/** A skillbook file as an object of the documented shape; throws when the file is torn or no skillbook. */
export function readBook(path: string): {
  readonly skills: Readonly<Record<string, StoredSkill>>;
  readonly nextId: number;
} {
  const book = JSON.parse(readFileSync(path, "utf8")) as Record<string, unknown>;
  if (book["format"] !== "acumen.skillbook" || book["version"] !== 1)
    throw new Error(`${path} is no skillbook of ours`);
  return {
    skills: book["skills"] as Record<string, StoredSkill>,
    nextId: Number(book["next_id"]),
  };
}

/** The text of a book with `count` skills whose contents all carry `mark`. */
export function bookText(count: number, mark: string): string {
  const now = "2026-01-01T00:00:00.000Z";
  const skills = Array.from({ length: count }, (_, index) => {
    const id = `${mark}-${String(index + 1).padStart(5, "0")}`;
    const skill = {
      id,
      section: mark,
      content: `${mark} lesson ${index}: ${"look at the evidence first ".repeat(8)}`,
      justification: null,
      evidence: null,
      helpful: 1,
      harmful: 0,
      neutral: 0,
      created_at: now,
      updated_at: now,
      status: "active",
      sources: [],
    };
    return [id, skill] as const;
  });
  return JSON.stringify({
    format: "acumen.skillbook",
    version: 1,
    skills: Object.fromEntries(skills),
    sections: { [mark]: skills.map(([id]) => id) },
    next_id: count + 1,
    similarity_decisions: {},
  });
}
