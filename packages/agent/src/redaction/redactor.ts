import { endOfRest, SecretFinder, type SecretSpan } from "./secret-finder.ts";
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
}

/**
 * Hides what has a known shape of a key (bearer tokens, keys of model services, GitHub, AWS, Slack, private key blocks,
 * passwords in URLs) and the given texts.
 * @param secrets hidden wherever they occur, also encoded; those of less than eight characters are left alone
 */
export function createRedactor(secrets: readonly string[] = []): Redactor {
  const finder = new SecretFinder(secrets);
  const whole = (text: string): string => render(text, finder.spans(text), 0, text.length);
  return Object.assign(whole, { stream: () => new SplitRedaction(finder) });
}

class SplitRedaction implements RedactionStream {
  readonly #finder: SecretFinder;
  /** Shown already; only to see what stands to the left of the next text. */
  #context = "";
  #held = "";
  /** `#held` begins within a secret whose mark was given: so many characters of it, then `rest`. */
  #hiding: { readonly chars: number; readonly rest?: RegExp } | undefined;

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
    const spans = this.#finder.spans(text, going).filter(({ end }) => end > from);
    const upTo = last ? text.length : Math.max(from, this.#finder.undecidedFrom(text));
    const shown = render(text, spans, going.length > 0 ? from + 1 : from, upTo, from);
    this.#remember(text, spans, upTo);
    return shown;
  }

  /** The secret that the text begins within. */
  #going(text: string, from: number): readonly SecretSpan[] {
    const hiding = this.#hiding;
    if (hiding === undefined) return [];
    const { chars, rest } = hiding;
    const restFrom = Math.min(from + chars, text.length);
    const end = rest === undefined ? restFrom : endOfRest(text, rest, restFrom);
    const open = rest !== undefined && end === text.length ? { rest, from: restFrom } : undefined;
    return end === from && open === undefined
      ? []
      : [{ start: from, end, ...(open !== undefined && { open }) }];
  }

  #remember(text: string, spans: readonly SecretSpan[], upTo: number): void {
    const cut = spans.find(
      ({ start, end, open }) =>
        start < upTo && (end > upTo || (end === upTo && open !== undefined)),
    );
    this.#context = text.slice(Math.max(0, upTo - CONTEXT_CHARS), upTo);
    this.#held = text.slice(upTo);
    if (cut === undefined) {
      this.#hiding = undefined;
    } else if (cut.open === undefined) {
      this.#hiding = { chars: cut.end - upTo };
    } else {
      this.#hiding = { chars: Math.max(0, cut.open.from - upTo), rest: cut.open.rest };
    }
  }
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
