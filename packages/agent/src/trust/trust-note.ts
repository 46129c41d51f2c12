import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { isOwnFolder } from "../mcp/config/workspace-choice.ts";
import { visibleLine } from "../text/visible-text.ts";

const FOLDER = ".acumen";
const MAX_NAMES = 5;
const HINT = "Trust it with `acumen trust`, or for this process with --trust-once.";

export interface TrustNoteOptions {
  /** What its `.acumen` brings and nobody reads, safe to show; empty when nobody has to hear of it. */
  readonly unread?: readonly string[];
  /** How it is trusted from here, a whole sentence. */
  readonly hint?: string | undefined;
}

/** What it means that a workspace is not trusted, each part said once. */
export class TrustNote {
  readonly #hint: string;
  #unread: readonly string[];
  #modeSaid = false;

  constructor({ unread = [], hint = HINT }: TrustNoteOptions = {}) {
    this.#unread = unread;
    this.#hint = hint;
  }

  /**
   * What was not said yet; undefined: nothing.
   * @param isSafer mode `auto` was chosen and acts as `safe`
   */
  take(isSafer: boolean): string | undefined {
    const [unread, saysMode] = [this.#unread, isSafer && !this.#modeSaid];
    if (unread.length === 0 && !saysMode) return undefined;
    this.#unread = [];
    this.#modeSaid ||= saysMode;
    const mode = "mode auto acts as safe: writes and commands ask";
    if (unread.length === 0) return `This workspace is not trusted, so ${mode}. ${this.#hint}`;
    const more = saysMode ? `, and ${mode}` : "";
    return `This workspace is not trusted, so what its ${FOLDER} folder brings (${listed(unread)}) does not count${more}. ${this.#hint}`;
  }
}

/**
 * What stands in the `.acumen` of a workspace, sorted; safe to show. Empty where that is Acumen's own folder.
 * @param cwd absolute real path
 */
export async function unreadNames(cwd: string, home: string): Promise<readonly string[]> {
  if (await isOwnFolder(cwd, home)) return [];
  const names = await readdir(join(cwd, FOLDER)).catch(() => []);
  return names
    .filter((name) => !name.startsWith("."))
    .toSorted()
    .map(visibleLine);
}

function listed(names: readonly string[]): string {
  const shown = names.slice(0, MAX_NAMES).join(", ");
  return names.length > MAX_NAMES ? `${shown}, …` : shown;
}
