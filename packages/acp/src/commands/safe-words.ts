import { oneLine, shortened } from "../mapping/wire-text.ts";

const MAX_CODE_CHARS = 300;
const MAX_PROSE_CHARS = 1_000;
const MAX_ANSWER_CHARS = 16_000;

const CODE = /((?<!`)`(?!`)[^`]*(?<!`)`(?!`))/;
/** What begins HTML, closes the text of a link or image, or takes the meaning from a mark of ours. */
const MARKUP = /[<`]|\](?=[([:])|\\(?=[!-/:-@[-`{-~]|$)/g;

interface Cleaners {
  /** Takes secrets out. */
  readonly redact: (text: string) => string;
  /** Makes characters visible that hosts would obey or swallow; line feeds and TABs stay. */
  readonly visible: (text: string) => string;
}

/**
 * Texts of users, repositories, servers and models in an answer that hosts read as Markdown: without secrets, links, images,
 * markup and hidden characters, and bounded.
 */
export class SafeWords {
  readonly #cleaners: Cleaners;

  constructor(cleaners: Cleaners) {
    this.#cleaners = cleaners;
  }

  /** A name, path or id, as code on one line. */
  code(text: string, maxChars: number = MAX_CODE_CHARS): string {
    const line = this.#line(text, maxChars);
    const longest = Math.max(0, ...[...line.matchAll(/`+/g)].map(([run]) => run.length));
    const fence = "`".repeat(longest + 1);
    const gap = longest > 0 ? " " : "";
    return line === "" ? "(empty)" : `${fence}${gap}${line}${gap}${fence}`;
  }

  /** A sentence on one line. What it has in single backticks stays code. */
  prose(text: string, maxChars: number = MAX_PROSE_CHARS): string {
    return this.#line(text, maxChars)
      .split(CODE)
      .map((part, index) => (index % 2 === 1 ? part : part.replace(MARKUP, "\\$&")))
      .join("");
  }

  /** Lines as they are, such as a diff. */
  block(text: string, maxChars: number): string {
    const cut = shortened(this.#clean(text), maxChars);
    const longest = Math.max(2, ...[...cut.matchAll(/`+/g)].map(([run]) => run.length));
    const fence = "`".repeat(longest + 1);
    return `${fence}\n${cut.trimEnd()}\n${fence}`;
  }

  /** The whole answer, whatever a command put into it. */
  answer(text: string): string {
    return shortened(this.#clean(text), MAX_ANSWER_CHARS);
  }

  /** Redacted before it is cut: half of a secret would not be found any more. */
  #line(text: string, maxChars: number): string {
    const line = this.#cleaners.visible(oneLine(this.#cleaners.redact(text), Infinity));
    return shortened(line, maxChars);
  }

  #clean(text: string): string {
    return this.#cleaners.visible(this.#cleaners.redact(text));
  }
}
