import type { RedactionStream, Redactor, TransientUpdate } from "@acumen/agent";

type Delta = Extract<TransientUpdate, { type: "delta" }>;

/** Pieces of text without secrets, also where one is split between two pieces. One message at a time. */
export class SafeDeltas {
  readonly #redact: Redactor;
  #stream: RedactionStream | undefined;
  #last: Delta | undefined;

  constructor(redact: Redactor) {
    this.#redact = redact;
  }

  push(delta: Delta): Delta[] {
    const isNext = this.#last !== undefined && this.#last.message_id !== delta.message_id;
    const rest = isNext ? this.end() : [];
    this.#stream ??= this.#redact.stream();
    this.#last = delta;
    return [...rest, ...pieces(delta, this.#stream.push(delta.text))];
  }

  /** What was kept back of the message that came last. */
  end(): Delta[] {
    const rest = this.#last === undefined ? [] : pieces(this.#last, this.#stream?.end() ?? "");
    this.#stream = undefined;
    this.#last = undefined;
    return rest;
  }
}

function pieces(delta: Delta, text: string): Delta[] {
  return text === "" ? [] : [{ ...delta, text }];
}
