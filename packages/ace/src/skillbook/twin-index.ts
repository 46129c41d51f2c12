import { normaliseText } from "../text/normalise.ts";
import type { Skill } from "./skill.ts";

const ASCII = /^\p{ASCII}*$/u;
const FNV_OFFSET = 0x811c9dc5;
const FNV_PRIME = 0x01000193;
const OGHAM_SPACE = 0x1680;
/** Lower case of sigma depends on what follows, so on what was dropped. */
const FINAL_SIGMA = 0x3c2;
const SIGMA = 0x3c3;

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

/**
 * Equal for texts with an equal normal form: it hashes what that form keeps but for case, the letters and digits, and passes over
 * everything that it may drop (marks, spaces, symbols).
 */
export function fingerprint(content: string): number {
  const text = (ASCII.test(content) ? content : content.normalize("NFKC")).toLowerCase();
  let hash = FNV_OFFSET;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (isHashed(code)) hash = Math.imul(hash ^ (code === FINAL_SIGMA ? SIGMA : code), FNV_PRIME);
  }
  return hash;
}

/** ASCII letters (lower case) and digits; beyond ASCII all but spaces, symbols and punctuation, by range. */
function isHashed(code: number): boolean {
  if (code < 0x80) return (code >= 0x61 && code <= 0x7a) || (code >= 0x30 && code <= 0x39);
  const symbol = (code >= 0x2000 && code <= 0x2bff) || (code >= 0x3000 && code <= 0x303f);
  return code >= 0xc0 && code < 0xf900 && code !== OGHAM_SPACE && !symbol;
}
