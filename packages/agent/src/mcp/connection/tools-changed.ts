/** Silence that ends a burst, ms. */
const QUIET_MS = 300;
/** A burst without an end is told all the same, ms. */
const LONGEST_BURST_MS = 2_000;

/** Tells listeners that the list of tools is another one, once for a burst. */
export class ToolsChanged {
  readonly #listeners = new Set<() => void>();
  #quiet: NodeJS.Timeout | undefined;
  #burst: NodeJS.Timeout | undefined;
  #isClosed = false;

  listen(listener: () => void): void {
    this.#listeners.add(listener);
  }

  notice(): void {
    if (this.#isClosed) return;
    if (this.#quiet) this.#quiet.refresh();
    else this.#quiet = setTimeout(() => this.#tell(), QUIET_MS).unref();
    this.#burst ??= setTimeout(() => this.#tell(), LONGEST_BURST_MS).unref();
  }

  close(): void {
    this.#isClosed = true;
    this.#rest();
  }

  #tell(): void {
    this.#rest();
    for (const listener of this.#listeners) listener();
  }

  #rest(): void {
    clearTimeout(this.#quiet);
    clearTimeout(this.#burst);
    this.#quiet = undefined;
    this.#burst = undefined;
  }
}
