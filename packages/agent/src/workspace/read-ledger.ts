import type { SeenFile } from "../events/event-payloads.ts";
import type { SessionEvent } from "../events/session-event.ts";

const SHA256 = /^[0-9a-f]{64}$/;

/** What the model last saw of each file, so that it does not change one that somebody else has changed since. */
export class ReadLedger {
  readonly #hashes = new Map<string, string>();

  /** A path is absolute and real. */
  record({ path, sha256 }: SeenFile): void {
    if (sha256 === null) this.#hashes.delete(path);
    else this.#hashes.set(path, sha256);
  }

  /** Takes over what the model saw or made by an event of the log. A file that was given back is one that it does not know. */
  replay({ type, payload }: SessionEvent): void {
    if (type === "FILES_RESTORED") for (const path of payload.paths) this.#hashes.delete(path);
    if (type !== "TOOL_RESULT" && type !== "USER_MESSAGE") return;
    for (const file of payload.seen ?? []) {
      // A log is a file that people can change: nothing would ever equal another text.
      if (file.sha256 === null || SHA256.test(file.sha256)) this.record(file);
    }
  }

  /** Undefined: the session does not know the file. */
  hashOf(path: string): string | undefined {
    return this.#hashes.get(path);
  }

  /** True when the model saw the file and it is another one now. */
  isStale(path: string, hash: string): boolean {
    const seen = this.#hashes.get(path);
    return seen !== undefined && seen !== hash;
  }
}
