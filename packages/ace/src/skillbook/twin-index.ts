import { normaliseText } from "../text/normalise.ts";
import type { Skill } from "./skill.ts";

const ASCII = /^\p{ASCII}*$/u;
const FNV_OFFSET = 0x811c9dc5;
const FNV_PRIME = 0x01000193;

/**
 * Finds the active skill that says the same as a text but for case, spacing and punctuation ({@link normaliseText}). Looked up by a
 * hash of the letters and digits, which costs a hundredth of the normal form; that form then decides between the few candidates.
 */
export class TwinIndex {
  readonly #skills = new Map<number, readonly Skill[]>();

  constructor(skills: Iterable<Skill>) {
    for (const skill of skills) this.add(skill);
  }

  add(skill: Skill): void {
    if (skill.status !== "active") return;
    const key = fingerprint(skill.content);
    const found = this.#skills.get(key);
    this.#skills.set(key, found ? [...found, skill] : [skill]);
  }

  remove(skill: Skill): void {
    const key = fingerprint(skill.content);
    const rest = this.#skills.get(key)?.filter(({ id }) => id !== skill.id) ?? [];
    if (rest.length > 0) this.#skills.set(key, rest);
    else this.#skills.delete(key);
  }

  find(content: string): Skill | undefined {
    const candidates = this.#skills.get(fingerprint(content));
    if (!candidates) return undefined;
    const normal = normaliseText(content);
    return candidates.find((skill) => normaliseText(skill.content) === normal);
  }
}

/** Equal for texts with an equal normal form, which keeps the letters and digits of an ASCII text and changes only their case. */
export function fingerprint(content: string): number {
  const text = ASCII.test(content) ? content : normaliseText(content).toLowerCase();
  let hash = FNV_OFFSET;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    const upper = code >= 0x41 && code <= 0x5a;
    if (upper || (code >= 0x61 && code <= 0x7a) || (code >= 0x30 && code <= 0x39)) {
      hash = Math.imul(hash ^ (upper ? code | 0x20 : code), FNV_PRIME);
    }
  }
  return hash;
}
