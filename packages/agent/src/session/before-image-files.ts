import { mkdir, readdir, readFile, stat, unlink } from "node:fs/promises";
import { join } from "node:path";
import { errnoOf, writeFileAtomic } from "@acumen/core";
import { z } from "zod";
import { agentError } from "../errors.ts";
import { sha256 } from "../workspace/sha256.ts";
import { LogFile } from "./log-file.ts";
import type { BeforeImage } from "./session-store.ts";

const INDEX = "index.jsonl";

/** One line of the index; the content is in the file of that name, once for all images that share it. */
const entrySchema = z.object({
  seq: z.number().int(),
  path: z.string(),
  /** SHA-256 (hex) of the content; null: there was no file. */
  content: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .nullable(),
  mode: z.number().int().nullable(),
  after_hash: z.string().nullable(),
});
type Entry = z.output<typeof entrySchema>;

/** Files as they were before the agent changed them, in a folder of the session. Calls must not overlap; they reject with system errors. */
export class BeforeImageFiles {
  readonly #folder: string;
  /** Opened with the first image. */
  #index: { readonly file: LogFile; entries: Entry[] } | undefined;

  /** @param folder made when the first image comes; its parent must exist */
  constructor(folder: string) {
    this.#folder = folder;
  }

  async save(image: BeforeImage): Promise<void> {
    await makeFolder(this.#folder);
    const index = await this.#open();
    const content = image.content === null ? null : await this.#saveContent(image.content);
    const { seq, path, mode, afterHash } = image;
    const entry: Entry = { seq, path, content, mode, after_hash: afterHash };
    await index.file.append(`${JSON.stringify(entry)}\n`, { durable: true });
    index.entries.push(entry);
  }

  async list(fromSeq: number): Promise<BeforeImage[]> {
    if (!(await exists(this.#folder))) return [];
    const { entries } = await this.#open();
    const chosen = entries.filter((entry) => entry.seq >= fromSeq).sort((a, b) => a.seq - b.seq);
    return Promise.all(chosen.map((entry) => this.#load(entry)));
  }

  /** Forgets images of `fromSeq` or later, and contents that no other image needs. */
  async drop(fromSeq: number): Promise<void> {
    if (!(await exists(this.#folder))) return;
    const kept = (await this.#open()).entries.filter((entry) => entry.seq < fromSeq);
    await this.close();
    const lines = kept.map((entry) => `${JSON.stringify(entry)}\n`).join("");
    await writeFileAtomic(join(this.#folder, INDEX), lines);
    const needed = new Set<string>([INDEX, ...kept.flatMap(({ content }) => content ?? [])]);
    const unneeded = (await readdir(this.#folder)).filter((name) => !needed.has(name));
    await Promise.all(unneeded.map((name) => unlink(join(this.#folder, name))));
  }

  async close(): Promise<void> {
    const index = this.#index;
    this.#index = undefined;
    await index?.file.close();
  }

  async #open(): Promise<{ readonly file: LogFile; entries: Entry[] }> {
    if (this.#index !== undefined) return this.#index;
    const path = join(this.#folder, INDEX);
    const entries: Entry[] = [];
    const take = (bytes: Buffer): boolean => {
      const entry = entryOf(bytes);
      if (entry !== undefined) entries.push(entry);
      return entry !== undefined;
    };
    const file = (await exists(path))
      ? await LogFile.open(path, { line: take, tail: take })
      : await LogFile.create(path);
    this.#index = { file, entries };
    return this.#index;
  }

  async #saveContent(content: Uint8Array): Promise<string> {
    const hash = sha256(content);
    const path = join(this.#folder, hash);
    if (!(await exists(path))) await writeFileAtomic(path, content);
    return hash;
  }

  async #load({ seq, path, content, mode, after_hash }: Entry): Promise<BeforeImage> {
    const bytes = content === null ? null : await readFile(join(this.#folder, content));
    if (bytes !== null && sha256(bytes) !== content) {
      throw agentError(
        "AGENT_STORE_FAILED",
        `The stored copy of ${path} is damaged: ${join(this.#folder, String(content))} is not what was written there.`,
        { details: { path } },
      );
    }
    return { seq, path, content: bytes, mode, afterHash: after_hash };
  }
}

function entryOf(bytes: Buffer): Entry | undefined {
  try {
    return entrySchema.safeParse(JSON.parse(bytes.toString("utf8"))).data;
  } catch {
    return undefined;
  }
}

/** One level only: a session's folder that was deleted must not come back. */
export async function makeFolder(path: string): Promise<void> {
  try {
    await mkdir(path, 0o700);
  } catch (error) {
    if (errnoOf(error) !== "EEXIST") throw error;
  }
}

async function exists(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return false;
    throw error;
  }
}
