import { lstat } from "node:fs/promises";
import { resolve } from "node:path";
import type { FileDiff, FileLocation } from "../../events/event-payloads.ts";
import { applyHunks } from "../../patch/apply-hunks.ts";
import type { FilePatch } from "../../patch/patch.ts";
import type { FileChange } from "../../workspace/commit-changes.ts";
import { fileRefused } from "../../workspace/file-refused.ts";
import { decodeFile } from "../../workspace/file-text.ts";
import type { FileSnapshot } from "../../workspace/read-file.ts";
import type { Place, Workspace } from "../../workspace/workspace.ts";
import { bytesOf, hostText, openToChange, snapshotToChange } from "./editable-file.ts";
import { fileDiff } from "./file-diff.ts";
import type { FileToolDeps } from "./file-tool-deps.ts";

type AddPatch = Extract<FilePatch, { type: "add" }>;
type UpdatePatch = Extract<FilePatch, { type: "update" }>;

/** What one file of a patch comes to. */
export interface PatchEffect {
  readonly changes: readonly FileChange[];
  readonly diff: readonly FileDiff[];
  readonly location: FileLocation;
  readonly done: string;
}

/** Looks at the files of a patch and says what is to become of them, without changing any. */
export class PatchPlanner {
  readonly #workspace: Workspace;
  readonly #deps: FileToolDeps;
  readonly #signal: AbortSignal;

  constructor(workspace: Workspace, deps: FileToolDeps, signal: AbortSignal) {
    this.#workspace = workspace;
    this.#deps = deps;
    this.#signal = signal;
  }

  /** @throws FileRefused */
  async effectOf(file: FilePatch): Promise<PatchEffect> {
    const place = await this.#placeOf(file.path);
    if (file.type === "add") return this.#added(place, file);
    if (file.type === "update") return this.#updated(place, file);
    await this.#refuseLink(file.path, place);
    const base = await snapshotToChange(place, this.#deps, this.#signal);
    if (base === undefined) throw noFile(place);
    return {
      changes: [{ place, base, next: null }],
      diff: [fileDiff(place.path, shownText(base), "")],
      location: { path: place.path },
      done: `Deleted ${place.shown}`,
    };
  }

  async #placeOf(path: string): Promise<Place> {
    const place = await this.#workspace.locate(path, "write");
    if (!place.ok) throw fileRefused(place.message);
    return place;
  }

  async #added(place: Place, { lines, finalNewline }: AddPatch): Promise<PatchEffect> {
    await this.#refuseExisting(place);
    const text = lines.join("\n") + (finalNewline && lines.length > 0 ? "\n" : "");
    const file = decodedText(text);
    return {
      changes: [{ place, base: undefined, next: bytesOf(place, file), text }],
      diff: [fileDiff(place.path, null, text)],
      location: { path: place.path },
      done: `Added ${place.shown} (+${lines.length})`,
    };
  }

  async #refuseExisting(place: Place): Promise<void> {
    if ((await snapshotToChange(place, this.#deps, this.#signal)) !== undefined)
      throw fileRefused(`${place.shown} exists already; update it, or delete it first.`);
  }

  /** What goes would be the file behind the link, and the link would lead to nothing. */
  async #refuseLink(path: string, { shown }: Place): Promise<void> {
    const stats = await lstat(resolve(this.#workspace.cwd, path)).catch(() => undefined);
    if (stats?.isSymbolicLink() === true)
      throw fileRefused(
        `${path} is a link to ${shown}; delete or move that file, or the link with a command.`,
      );
  }

  async #updated(place: Place, file: UpdatePatch): Promise<PatchEffect> {
    const target = file.moveTo === undefined ? undefined : await this.#placeOf(file.moveTo);
    if (target !== undefined) {
      await this.#refuseLink(file.path, place);
      if (target.path === place.path) throw fileRefused(`${place.shown} is moved to itself.`);
      await this.#refuseExisting(target);
    }
    if (file.hunks.length === 0 && target !== undefined) return this.#moved(place, target);
    const old = await openToChange(place, this.#deps, this.#signal);
    if (old === undefined) throw noFile(place);
    const patched = applyHunks(old.file.text, file.hunks);
    if (!patched.ok) throw fileRefused(`${place.shown}, hunk ${patched.hunk}: ${patched.message}`);
    const next = { ...old.file, text: patched.text };
    const bytes = bytesOf(place, next);
    const { base } = old;
    const counts = `(+${patched.added} -${patched.removed})`;
    const line = patched.firstLine === 0 ? {} : { line: patched.firstLine };
    if (target !== undefined) {
      return {
        changes: moveChanges(place, target, base, bytes, hostText(next)),
        diff: [fileDiff(place.path, old.file.text, ""), fileDiff(target.path, null, patched.text)],
        location: { path: target.path, ...line },
        done: `Moved ${place.shown} to ${target.shown} ${counts}`,
      };
    }
    if (patched.text === old.file.text)
      throw fileRefused(`${place.shown} would not change: the hunks leave every line as it is.`);
    return {
      changes: [{ place, base, next: bytes, text: hostText(next) }],
      diff: [fileDiff(place.path, old.file.text, patched.text)],
      location: { path: place.path, ...line },
      done: `Updated ${place.shown} ${counts}`,
    };
  }

  async #moved(place: Place, target: Place): Promise<PatchEffect> {
    const base = await snapshotToChange(place, this.#deps, this.#signal);
    if (base === undefined) throw noFile(place);
    const text = shownText(base);
    return {
      changes: moveChanges(place, target, base, base.bytes),
      diff: [fileDiff(place.path, text, ""), fileDiff(target.path, null, text)],
      location: { path: target.path },
      done: `Moved ${place.shown} to ${target.shown}`,
    };
  }
}

/** The new name comes first, so that the content is never without one. */
function moveChanges(
  place: Place,
  target: Place,
  base: FileSnapshot,
  next: Uint8Array,
  text?: string,
): readonly FileChange[] {
  const mode = base.disk?.mode;
  return [
    {
      place: target,
      base: undefined,
      next,
      ...(text !== undefined && { text }),
      ...(mode !== undefined && { mode }),
    },
    { place, base, next: null },
  ];
}

function decodedText(text: string): { encoding: "utf-8"; bom: false; text: string } {
  return { encoding: "utf-8", bom: false, text };
}

/** For people; what is no text is named instead. */
function shownText({ bytes }: FileSnapshot): string {
  const file = decodeFile(bytes);
  if (file.type === "text") return file.text;
  return `[${file.type === "image" ? file.mimeType : file.what}, ${bytes.byteLength} bytes]`;
}

function noFile({ shown }: Place): Error {
  return fileRefused(`There is no file ${shown}; "*** Add File: " makes new ones.`);
}
