/** `@` at the beginning of a word, with a quoted or a plain path behind it. */
const MENTION = /(?<![^\s([{<"'`])@(?:"([^"\n]+)"|([^\s"@][^\s"]*))/g;
/** Each is looked for on the disk. */
const MAX_FORMS = 8;
const TRAILING = /[.,;:!?)\]}>'`…]$/u;

/** What may be meant by an `@` word: the word, and what is left of it without the punctuation at its end. */
export type Mention = readonly [string, ...string[]];

/** The `@path` words of a text, in their order. E-mail addresses are none: nothing stands before the `@`. */
export function mentionsIn(text: string): readonly Mention[] {
  return [...text.matchAll(MENTION)].map(([, quoted, word = ""]) =>
    quoted === undefined ? withoutPunctuation(word) : [quoted],
  );
}

function withoutPunctuation(word: string): Mention {
  const forms: [string, ...string[]] = [word];
  for (let form = word; forms.length < MAX_FORMS && TRAILING.test(form) && form.length > 1;) {
    form = form.slice(0, -1);
    forms.push(form);
  }
  return forms;
}
