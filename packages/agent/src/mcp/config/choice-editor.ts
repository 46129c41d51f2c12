import { createHash } from "node:crypto";
import { lstat } from "node:fs/promises";
import { dirname } from "node:path";
import { AcumenError, ensureFolder, withFileLock } from "@acumen/core";
import { agentError } from "../../errors.ts";
import { visibleLine } from "../../text/visible-text.ts";
import { digestOf, type FolderImage, readFolderImage } from "../../trust/folder-image.ts";
import type { TrustState, WorkspaceTrust } from "../../trust/workspace-trust.ts";
import { invalidConfig, type EditableConfig, openConfigFile } from "./config-file-edit.ts";
import { withItem, withoutItems, withProperty } from "./json-splice.ts";
import {
  CHOICE_FILE,
  choiceLock,
  CHOICE_KEY,
  choicePath,
  isOwnFolder,
  parseChoice,
} from "./workspace-choice.ts";

/** What an edit of `workspace.json` came to. */
export interface ChoiceChange {
  /** Absolute. */
  readonly file: string;
  /** The file is another one now. */
  readonly changed: boolean;
  /**
   * Afterwards. A workspace that was trusted is trusted again, as it is with this edit and nothing else; otherwise the choice does
   * not count until {@link WorkspaceTrust.trust} was given this digest.
   */
  readonly trust: TrustState & {
    /** Everything that would be trusted, such as `.acumen/workspace.json`; safe to show. */
    readonly files: readonly string[];
  };
}

/** Changes which servers a workspace switches on, and keeps trust honest. */
export class ChoiceEditor {
  readonly #home: string;
  readonly #trust: WorkspaceTrust;

  constructor({ home, trust }: { readonly home: string; readonly trust: WorkspaceTrust }) {
    this.#home = home;
    this.#trust = trust;
  }

  /**
   * @throws AGENT_WORKSPACE_INVALID; AGENT_WORKSPACE_UNTRUSTABLE, AGENT_TRUST_INVALID where the choice could never count (nothing is
   * changed then); AGENT_MCP_CONFIG_INVALID, CORE_LOCK_TIMEOUT, CORE_FILE_NOT_WRITABLE
   */
  async enable(cwd: string, name: string): Promise<ChoiceChange> {
    return this.#locked(async () => {
      const { path, problem } = await this.#trust.check(cwd);
      if (problem !== undefined) throw (await this.#trust.fault()) ?? untrustable(path, problem);
      if (await isOwnFolder(path, this.#home)) {
        throw untrustable(
          path,
          "Its .acumen folder is the one that Acumen keeps its own files in.",
        );
      }
      await ensureFolder(dirname(choicePath(path)));
      return this.#edit(path, (text, names) => (names.includes(name) ? text : added(text, name)));
    });
  }

  /** Takes a name out, however often it stands there. @throws as {@link enable}, but needs no trust */
  async disable(cwd: string, name: string): Promise<ChoiceChange> {
    return this.#locked(async () => {
      const { path } = await this.#trust.check(cwd);
      const present = await lstat(choicePath(path)).catch(() => undefined);
      if (present === undefined || (await isOwnFolder(path, this.#home))) {
        return this.#change(path, false);
      }
      if (!(await lstat(dirname(choicePath(path)))).isDirectory()) {
        const message = `${dirname(choicePath(path))} is a link; change what it leads to.`;
        throw invalidConfig(choicePath(path), { message });
      }
      return this.#edit(path, (text) => withoutItems(text, [CHOICE_KEY], name));
    });
  }

  async #locked<T>(work: () => Promise<T>): Promise<T> {
    await ensureFolder(this.#home, { mode: 0o700 });
    return withFileLock(choiceLock(this.#home), work);
  }

  async #edit(
    cwd: string,
    change: (text: string, names: readonly string[]) => string,
  ): Promise<ChoiceChange> {
    const path = choicePath(cwd);
    const file = await openConfigFile(path);
    const { names, fault } = parseChoice(path, file.text);
    if (fault !== undefined) throw invalidConfig(path, fault);
    const [before, image] = [await this.#trust.check(cwd), await readFolderImage(cwd)];
    const trusted = before.state === "trusted" && before.digest === image.digest;
    const changed = await this.#write(cwd, file, change(file.text, names), trusted && image);
    return this.#change(cwd, changed);
  }

  async #write(
    cwd: string,
    file: EditableConfig,
    text: string,
    image: FolderImage | false,
  ): Promise<boolean> {
    const bytes = await file.write(text);
    if (bytes === undefined) return false;
    if (image === false) return true;
    const others = image.files.filter((one) => one.path !== CHOICE_FILE);
    const sha256 = createHash("sha256").update(bytes).digest("hex");
    try {
      await this.#trust.trust(cwd, {
        digest: digestOf([...others, { path: CHOICE_FILE, sha256 }]),
      });
    } catch (error) {
      // Something else changed meanwhile: that nobody looked at, and the result says so.
      if (!AcumenError.isInstance(error) || error.code !== "AGENT_WORKSPACE_UNTRUSTABLE")
        throw error;
    }
    return true;
  }

  async #change(cwd: string, changed: boolean): Promise<ChoiceChange> {
    const [state, image] = [await this.#trust.check(cwd), await readFolderImage(cwd)];
    const files = image.files.map((one) => visibleLine(`.acumen/${one.path}`));
    return { file: choicePath(cwd), changed, trust: { ...state, files } };
  }
}

function added(text: string, name: string): string {
  return withItem(text, [CHOICE_KEY], name) ?? withProperty(text, [], CHOICE_KEY, [name]) ?? text;
}

function untrustable(path: string, reason: string): AcumenError {
  return agentError(
    "AGENT_WORKSPACE_UNTRUSTABLE",
    `No server can be enabled in ${path}: it cannot be trusted. ${reason}`,
    { details: { path } },
  );
}
