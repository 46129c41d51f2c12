import { secretForms } from "./secret-forms.ts";
import { DECISION_CHARS, SECRET_SHAPES } from "./secret-shapes.ts";

/** Part of a text that must not be seen. */
export interface SecretSpan {
  /** Where what makes it a secret begins; what is before `start` is visible. */
  readonly sign: number;
  readonly start: number;
  readonly end: number;
  /** Up to here it is one whatever follows; beyond, `open` says so of the text that is there. */
  readonly certain: number;
  /** How it could go on after its end, were there more of the text. */
  readonly open: readonly OpenEnd[];
}

export interface OpenEnd {
  /** Where this pattern begins to say what belongs to the secret, and what it says by now. */
  readonly from: number;
  readonly end: number;
  readonly rest: RegExp;
}

/** Where secrets are in a text. Time grows with the text's length alone, whatever stands in it. */
export class SecretFinder {
  readonly #forms: readonly string[];

  constructor(secrets: readonly string[]) {
    this.#forms = secretForms(secrets);
  }

  /**
   * Sorted; spans that overlap are one.
   * @param from where secrets may begin; what is before is only looked at
   * @param more spans that are known already
   */
  spans(text: string, from = 0, more: readonly SecretSpan[] = []): readonly SecretSpan[] {
    const found = [
      ...more,
      ...this.#exact(text, from),
      ...SECRET_SHAPES.flatMap((shape) => byShape(text, shape, from)),
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

  *#exact(text: string, from: number): Generator<SecretSpan> {
    for (const form of this.#forms) {
      for (
        let at = text.indexOf(form, from);
        at !== -1;
        at = text.indexOf(form, at + form.length)
      ) {
        yield { sign: at, start: at, end: at + form.length, certain: at + form.length, open: [] };
      }
    }
  }
}

function byShape(
  text: string,
  { start, rest }: (typeof SECRET_SHAPES)[number],
  begin: number,
): SecretSpan[] {
  const spans: SecretSpan[] = [];
  let known = { end: begin, final: false };
  start.lastIndex = begin;
  for (let match = start.exec(text); match !== null; match = start.exec(text)) {
    const from = start.lastIndex;
    // One that begins within another ends with it: to look again would take quadratic time.
    if (from > known.end) known = endOfRest(text, rest, from);
    const { end, final } = known;
    spans.push({
      sign: match.index,
      start: match.index + (match[1]?.length ?? 0),
      end,
      certain: final ? end : from,
      open: final ? [] : [{ from, end, rest }],
    });
  }
  return spans;
}

/** Where what belongs to a secret ends that was going on at `from`; `final`: its own end was there. */
export function endOfRest(
  text: string,
  rest: RegExp,
  from: number,
): { readonly end: number; readonly final: boolean } {
  rest.lastIndex = from;
  const match = rest.exec(text);
  return { end: from + (match?.[0].length ?? 0), final: match?.[1] !== undefined };
}

function union(one: SecretSpan, other: SecretSpan): SecretSpan {
  return {
    sign: Math.min(one.sign, other.sign),
    start: one.start,
    end: Math.max(one.end, other.end),
    certain: Math.max(one.certain, other.certain),
    open: unitedEnds(one.open, other.open),
  };
}

/** One for each pattern, so that there are few however many spans are united. */
function unitedEnds(one: readonly OpenEnd[], other: readonly OpenEnd[]): readonly OpenEnd[] {
  const added = other.filter(
    ({ rest, end }) => !one.some((known) => known.rest === rest && known.end >= end),
  );
  return [...one.filter(({ rest }) => !added.some((known) => known.rest === rest)), ...added];
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
