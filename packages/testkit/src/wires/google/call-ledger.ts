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

  /** By id where ids were issued, else by name and arguments. */
  find(id: string | undefined, name: string, input: unknown): IssuedCall | undefined {
    const byId = this.#calls.findLast((call) => call.id !== undefined && call.id === id);
    if (byId !== undefined) return byId;
    const args = canonicalJson(input);
    return this.#calls.findLast(
      (call) => call.id === undefined && call.name === name && canonicalJson(call.input) === args,
    );
  }
}
