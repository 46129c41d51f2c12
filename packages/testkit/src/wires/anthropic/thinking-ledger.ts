/** The thinking blocks that were handed out, by signature. */
export class ThinkingLedger {
  readonly #issued = new Map<string, { readonly text: string; readonly model: string }>();

  issue(signature: string, text: string, model: string): void {
    this.#issued.set(signature, { text, model });
  }

  /** A signature covers the text and belongs to the model that made it. */
  covers(signature: string, text: string, model: string): boolean {
    const issued = this.#issued.get(signature);
    return issued?.text === text && issued.model === model;
  }
}
