const ESCAPE = "\u001B";
const START = `${ESCAPE}[200~`;
const END = `${ESCAPE}[201~`;
/** The beginning of a mark whose rest comes with the next keys. */
const CUT_START = new RegExp(`${ESCAPE}\\[2?0?0?$`);

/** Finds what was pasted among the keys. */
export class PasteReader {
  readonly #typedFor: (pasted: string) => string;
  #pasted: string | undefined;
  #kept = "";

  /** @param typedFor what stands on the line for a pasted text; one that can be typed */
  constructor(typedFor: (pasted: string) => string) {
    this.#typedFor = typedFor;
  }

  /** The keys without marks, and with what stands for each pasted text. */
  take(keys: string): string {
    const text = this.#kept + keys;
    this.#kept = "";
    if (this.#pasted !== undefined) return this.#inside(text);
    const start = text.indexOf(START);
    if (start >= 0) {
      const before = text.slice(0, start);
      this.#pasted = "";
      return before + this.#inside(text.slice(start + START.length));
    }
    const cut = CUT_START.exec(text)?.index ?? text.length;
    this.#kept = text.slice(cut);
    return text.slice(0, cut);
  }

  #inside(text: string): string {
    const pasted = (this.#pasted ?? "") + text;
    const end = pasted.indexOf(END);
    this.#pasted = end < 0 ? pasted : undefined;
    if (end < 0) return "";
    const typed = this.#typedFor(pasted.slice(0, end).replace(/\r\n?/g, "\n"));
    return typed + this.take(pasted.slice(end + END.length));
  }
}

/** Pasted texts that do not fit on a line stand there by a name. */
export class PastedTexts {
  readonly #texts = new Map<string, string>();

  /** `[paste 1: 12 lines]` */
  name(text: string): string {
    const lines = text.split("\n").length;
    const size = lines === 1 ? `${text.length} characters` : `${lines} lines`;
    const name = `[paste ${this.#texts.size + 1}: ${size}]`;
    this.#texts.set(name, text);
    return name;
  }

  /** The text with every paste in the place of its name. */
  whole(line: string): string {
    return line.replace(/\[paste \d+: [^\]]*\]/g, (name) => this.#texts.get(name) ?? name);
  }
}
