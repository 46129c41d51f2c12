import { secretForms } from "./secret-forms.ts";
import { DECISION_CHARS, SECRET_SHAPES } from "./secret-shapes.ts";

/** Part of a text that must not be seen. */
export interface SecretSpan {
  readonly start: number;
  readonly end: number;
  /** It may go on beyond the end of the text, from `from` on by this pattern. */
  readonly open?: { readonly rest: RegExp; readonly from: number };
}

/** Where secrets are in a text. Time grows with the text's length alone, whatever stands in it. */
export class SecretFinder {
  readonly #forms: readonly string[];

  constructor(secrets: readonly string[]) {
    this.#forms = secretForms(secrets);
  }

  /** Sorted; spans that overlap are one. `more`: spans that are known already. */
  spans(text: string, more: readonly SecretSpan[] = []): readonly SecretSpan[] {
    const found = [
      ...more,
      ...this.#exact(text),
      ...SECRET_SHAPES.flatMap((shape) => byShape(text, shape)),
    ];
    if (found.length < 2) return found;
    const merged: SecretSpan[] = [];
    for (const span of found.toSorted((one, other) => one.start - other.start)) {
      const last = merged.at(-1);
      if (last !== undefined && span.start < last.end)
        merged[merged.length - 1] = union(last, span);
      else merged.push(span);
    }
    return merged;
  }

  /** From where on the end of the text could be the beginning of a secret; the text's length when it can't. */
  undecidedFrom(text: string): number {
    const window = Math.max(0, text.length - DECISION_CHARS);
    const end = text.slice(window);
    const shapes = SECRET_SHAPES.map(({ partial }) => {
      const at = end.search(partial);
      return at === -1 ? text.length : window + at;
    });
    return Math.min(...shapes, ...this.#forms.map((form) => overlap(text, form)));
  }

  *#exact(text: string): Generator<SecretSpan> {
    for (const form of this.#forms) {
      for (let at = text.indexOf(form); at !== -1; at = text.indexOf(form, at + form.length)) {
        yield { start: at, end: at + form.length };
      }
    }
  }
}

function byShape(text: string, { start, rest }: (typeof SECRET_SHAPES)[number]): SecretSpan[] {
  const spans: SecretSpan[] = [];
  start.lastIndex = 0;
  for (let match = start.exec(text); match !== null; match = start.exec(text)) {
    const from = start.lastIndex;
    const end = endOfRest(text, rest, from);
    spans.push({
      start: match.index + (match[1]?.length ?? 0),
      end,
      ...(end === text.length && { open: { rest, from } }),
    });
    start.lastIndex = end;
  }
  return spans;
}

/** Where what belongs to a secret ends that was going on at `from`. */
export function endOfRest(text: string, rest: RegExp, from: number): number {
  rest.lastIndex = from;
  return rest.test(text) ? rest.lastIndex : from;
}

function union(one: SecretSpan, other: SecretSpan): SecretSpan {
  const open = other.open ?? one.open;
  return {
    start: one.start,
    end: Math.max(one.end, other.end),
    ...(open !== undefined && { open }),
  };
}

/** Where the longest end of `text` begins that is a beginning of `form`, but not the whole of it. */
function overlap(text: string, form: string): number {
  const first = form.charAt(0);
  let at = text.indexOf(first, Math.max(0, text.length - form.length + 1));
  while (at !== -1) {
    if (form.startsWith(text.slice(at))) return at;
    at = text.indexOf(first, at + 1);
  }
  return text.length;
}
