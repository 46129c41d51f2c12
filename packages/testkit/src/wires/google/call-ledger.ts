import { canonicalJson } from "../json-read.ts";

export interface IssuedCall {
  readonly id?: string;
  readonly name: string;
  readonly input: unknown;
  readonly signature?: string;
}

/** The function calls and thought signatures that were handed out. */
export class CallLedger {
  readonly #calls: IssuedCall[] = [];
  readonly #signatures = new Set<string>();

  issue(call: IssuedCall): void {
    this.#calls.push(call);
    if (call.signature !== undefined) this.#signatures.add(call.signature);
  }

  issueSignature(signature: string): void {
    this.#signatures.add(signature);
  }

  knows(signature: string): boolean {
    return this.#signatures.has(signature);
  }

  /**
   * The calls that this can be: by id where ids were issued, else by name and arguments. Several, because a model may
   * ask for the same thing twice.
   */
  candidates(id: string | undefined, name: string, input: unknown): readonly IssuedCall[] {
    const byId = this.#calls.filter((call) => call.id !== undefined && call.id === id);
    if (byId.length > 0) return byId;
    const args = canonicalJson(input);
    return this.#calls.filter(
      (call) => call.id === undefined && call.name === name && canonicalJson(call.input) === args,
    );
  }
}
