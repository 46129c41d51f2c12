import { Mutex } from "@acumen/core";
import { Skillbook } from "../../skillbook/skillbook.ts";
import type { KnownFile } from "./book-files.ts";
import type { RunnerSettings, SessionRunner } from "./runner.ts";

const KNOWN_FILES = 8;

/** State under one `session_id`: a skillbook, and the runner that is built over it when it is first needed. */
export class Session {
  readonly id: string;
  /** Calls of one session run one after the other, in the order in which they came. */
  readonly lock = new Mutex();
  /** Calls that use or wait for the session. */
  users = 0;
  lastUsedMs = 0;
  /** Set when the runner is first built and kept from then on: a later `session_config` changes nothing. */
  settings: RunnerSettings | undefined;
  runner: SessionRunner | undefined;
  #skillbook = new Skillbook();
  #cleanRevision: number | undefined = this.#skillbook.revision;
  #established = false;
  readonly #files = new Map<string, KnownFile>();

  constructor(id: string) {
    this.id = id;
  }

  get skillbook(): Skillbook {
    return this.#skillbook;
  }

  /** True when the book holds something that no file holds. */
  get changed(): boolean {
    return this.#skillbook.revision !== this.#cleanRevision;
  }

  /** False until something worth keeping happened; a session that never got there is forgotten after its call. */
  get established(): boolean {
    return this.#established;
  }

  establish(): void {
    this.#established = true;
  }

  /** Puts another book in place. The runner goes with the old one: what it remembers cites skills that are gone. */
  replaceSkillbook(skillbook: Skillbook): void {
    this.#skillbook = skillbook;
    this.#cleanRevision = undefined;
    this.runner = undefined;
  }

  /** A file that this session loaded or saved, as it was then. */
  knownFile(path: string): KnownFile | undefined {
    return this.#files.get(path);
  }

  /** Each holds a whole book of then, so only the last few are kept; saving to an older one replaces it. */
  rememberFile(path: string, file: KnownFile): void {
    this.#files.delete(path);
    this.#files.set(path, file);
    const [oldest] = this.#files.keys();
    if (this.#files.size > KNOWN_FILES && oldest !== undefined) this.#files.delete(oldest);
  }

  markClean(): void {
    this.#cleanRevision = this.#skillbook.revision;
  }
}
