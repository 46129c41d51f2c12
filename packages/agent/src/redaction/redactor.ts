import { endOfRest, type OpenEnd, SecretFinder, type SecretSpan } from "./secret-finder.ts";
import { CONTEXT_CHARS } from "./secret-shapes.ts";

const HIDDEN = "[hidden]";

/** Hides secrets in text that comes in pieces, also one that is split between them. */
export interface RedactionStream {
  /** What is safe to show by now; an end that could be the beginning of a secret is kept back. */
  push(text: string): string;
  /** The rest. */
  end(): string;
}

/** Hides secrets in a text. */
export interface Redactor {
  (text: string): string;
  /** For one text in pieces; what it gives, joined, is what the whole text would give. */
  stream(): RedactionStream;
  /** Hides these too, in every text and every stream that begins from now on. */
  hide(secrets: readonly string[]): void;
}

/**
 * Hides what has a known shape of a key (bearer tokens, keys of model services, GitHub, AWS, Slack, private key blocks,
 * passwords in URLs) and the given texts.
 * @param secrets hidden wherever they occur, also encoded; those of less than eight characters are left alone
 */
export function createRedactor(secrets: readonly string[] = []): Redactor {
  const known = new Set(secrets);
  let finder = new SecretFinder([...known]);
  const whole = (text: string): string => render(text, finder.spans(text), 0, text.length);
  return Object.assign(whole, {
    stream: () => new SplitRedaction(finder),
    hide: (more: readonly string[]) => {
      if (more.every((secret) => known.has(secret))) return;
      for (const secret of more) known.add(secret);
      finder = new SecretFinder([...known]);
    },
  });
}

class SplitRedaction implements RedactionStream {
  readonly #finder: SecretFinder;
  /** Shown already; only to see what stands to the left of the next text. */
  #context = "";
  #held = "";
  /** `#held` begins within a secret whose mark was given: so many characters belong to it, and what the patterns say. */
  #hiding: { readonly chars: number; readonly open: readonly OpenEnd[] } | undefined;

  constructor(finder: SecretFinder) {
    this.#finder = finder;
  }

  push(text: string): string {
    return text === "" ? "" : this.#take(text, false);
  }

  end(): string {
    return this.#take("", true);
  }

  #take(added: string, last: boolean): string {
    const text = this.#context + this.#held + added;
    const from = this.#context.length;
    const going = this.#going(text, from);
    const spans = this.#finder.spans(text, from, going);
    const upTo = last
      ? text.length
      : Math.max(from, decidedUpTo(spans, this.#finder.undecidedFrom(text)));
    const shown = render(text, spans, going.length > 0 ? from + 1 : from, upTo, from);
    if (upTo === from) this.#held = text.slice(from);
    else this.#remember(text, spans, upTo);
    return shown;
  }

  /** The secret that the text begins within. */
  #going(text: string, from: number): readonly SecretSpan[] {
    const hiding = this.#hiding;
    if (hiding === undefined) return [];
    const certain = Math.min(from + hiding.chars, text.length);
    const spans: SecretSpan[] = [{ sign: from, start: from, end: certain, certain, open: [] }];
    for (const { from: chars, rest } of hiding.open) {
      const begin = Math.min(from + chars, text.length);
      const { end, final } = endOfRest(text, rest, begin);
      const open = final ? [] : [{ from: begin, end, rest }];
      spans.push({ sign: from, start: from, end, certain: final ? end : begin, open });
    }
    // Not one character more of it: it has ended.
    return spans.filter(({ end }) => end > from || end === text.length);
  }

  #remember(text: string, spans: readonly SecretSpan[], upTo: number): void {
    const cut = spans.find(({ start, end }) => start < upTo && end >= upTo);
    this.#context = text.slice(Math.max(0, upTo - CONTEXT_CHARS), upTo);
    this.#held = text.slice(upTo);
    this.#hiding = cut && {
      chars: Math.max(0, cut.certain - upTo),
      open: cut.open
        .filter(({ end }) => end >= upTo)
        .map(({ from, end, rest }) => ({ from: Math.max(0, from - upTo), end: end - upTo, rest })),
    };
  }
}

/** A secret and what shows that it is one go together. */
function decidedUpTo(spans: readonly SecretSpan[], undecided: number): number {
  return spans.reduceRight(
    (upTo, { sign, start }) => (sign < upTo && upTo <= start ? sign : upTo),
    undecided,
  );
}

/** The text of `from` to `to` with a mark for each span that begins at `firstMark` or later. */
function render(
  text: string,
  spans: readonly SecretSpan[],
  firstMark: number,
  to: number,
  from = firstMark,
): string {
  if (spans.length === 0) return text.slice(from, to);
  const parts: string[] = [];
  let at = from;
  for (const { start, end } of spans) {
    if (start >= to) break;
    parts.push(text.slice(at, Math.max(at, start)));
    if (start >= firstMark) parts.push(HIDDEN);
    at = Math.min(end, to);
  }
  parts.push(text.slice(at, to));
  return parts.join("");
}
