import type { Model } from "@acumen/models";

type ResolveModel = (id: string) => Promise<Model>;

/** The model of a session. A session opens without it, so that it can be read and mended when a key is missing. */
export class SessionModel {
  readonly #resolve: ResolveModel;
  #id: string;
  #model: Model | undefined;

  constructor(id: string, resolve: ResolveModel, model?: Model) {
    this.#id = id;
    this.#resolve = resolve;
    this.#model = model;
  }

  get id(): string {
    return this.#id;
  }

  /** Present once it was needed. */
  get resolved(): Model | undefined {
    return this.#model;
  }

  /** @throws MODEL_FAILED; the next call tries again */
  async get(): Promise<Model> {
    const id = this.#id;
    if (this.#model !== undefined) return this.#model;
    const model = await this.#resolve(id);
    // Somebody may have chosen another one in the meantime.
    if (this.#id !== id) return this.get();
    this.#model = model;
    return model;
  }

  /** Changes nothing. @throws MODEL_FAILED */
  find(id: string): Promise<Model> {
    return this.#resolve(id);
  }

  use(id: string, model: Model | undefined): void {
    this.#id = id;
    this.#model = model;
  }
}
