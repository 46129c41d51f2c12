import { estimateTokens, type Skill, type Skillbook } from "@acumen/ace";
import { AcumenError, coreError } from "@acumen/core";
import { stat } from "node:fs/promises";
import type { WorkspaceFacts } from "../agent/agent-options.ts";
import { type BookFile, bookFiles, bookOf, readBookFile } from "./book-files.ts";
import { usableSkills } from "./usable-skills.ts";

/** Tokens of the block of skills in a system prompt, whatever the size of the books. */
export const SKILLS_BUDGET = 2_000;

export interface ChooseSkillsOptions {
  readonly workspace: WorkspaceFacts;
  /** The text of the prompt. */
  readonly question: string;
  /** Tokens; default {@link SKILLS_BUDGET}. */
  readonly budget?: number;
}

export interface ChosenSkills {
  /** The delimited block for the system prompt; empty when no skill was chosen. */
  readonly block: string;
  /** As the block shows them; `placeOf` leads back to their books. */
  readonly skillIds: readonly string[];
  /** In words, for SKILLS_APPLIED. */
  readonly reason: string;
  /** Books that cannot be read; the turn goes on without their skills. */
  readonly problems: readonly AcumenError[];
}

/** One book file as it was when it was last read. */
interface Shelved {
  readonly identity: string;
  readonly usable: readonly Skill[];
  /** Active skills that sessions may not use. */
  readonly unvouched: number;
  readonly problem?: AcumenError;
}

/** Usable skills of both books in one, under their shown ids. */
interface Union {
  readonly from: readonly Shelved[];
  readonly skillbook: Skillbook;
}

const NOTHING: Shelved = { identity: "", usable: [], unvouched: 0 };

/** Chooses skills for turns. Files are read again only when they have changed, so one shelf serves all sessions of a process. */
export class SkillShelf {
  readonly #home: string;
  readonly #shelved = new Map<string, Shelved>();
  readonly #unions = new Map<string, Union>();

  /** @param home `$ACUMEN_HOME`, absolute */
  constructor(home: string) {
    this.#home = home;
  }

  /** Never fails: a book that cannot be read is among the problems. */
  async choose(options: ChooseSkillsOptions): Promise<ChosenSkills> {
    const { workspace, question, budget = SKILLS_BUDGET } = options;
    const files = bookFiles(this.#home, workspace);
    const shelved = await Promise.all(files.map((file) => this.#read(file)));
    const problems = shelved.flatMap(({ problem }) => problem ?? []);
    const union = this.#union(files.map(({ path }) => path).join("\0"), shelved);
    const chosen = union.choose(question, { budget });
    // Of the chosen ones alone, because asking the union again would rank all its skills again.
    const block = chosen.length === 0 ? "" : bookOf(chosen).asContext(question, { budget });
    return {
      block,
      skillIds: chosen.map(({ id }) => id),
      reason: reasonOf(chosen.length, union.size, block, shelved),
      problems,
    };
  }

  /** What the books say of skills by now, by shown id; without those that sessions can't use any more. */
  async contents(workspace: WorkspaceFacts): Promise<ReadonlyMap<string, string>> {
    const files = bookFiles(this.#home, workspace);
    const shelved = await Promise.all(files.map((file) => this.#read(file)));
    return new Map(
      shelved.flatMap(({ usable }) => usable.map(({ id, content }) => [id, content] as const)),
    );
  }

  async #read(file: BookFile): Promise<Shelved> {
    const { path } = file;
    const identity = await identityOf(path);
    if (identity === undefined) {
      this.#shelved.delete(path);
      return NOTHING;
    }
    const known = this.#shelved.get(path);
    if (known?.identity === identity) return known;
    const shelved = await readShelved(file, identity);
    this.#shelved.set(path, shelved);
    return shelved;
  }

  #union(key: string, shelved: readonly Shelved[]): Skillbook {
    const known = this.#unions.get(key);
    if (known?.from.every((each, index) => each === shelved[index])) return known.skillbook;
    const skillbook = bookOf(shelved.flatMap(({ usable }) => usable));
    this.#unions.set(key, { from: shelved, skillbook });
    return skillbook;
  }
}

/** {@link SkillShelf.choose} for a single question; whoever asks again keeps a shelf. */
export function chooseSkills(
  options: ChooseSkillsOptions & { readonly home: string },
): Promise<ChosenSkills> {
  return new SkillShelf(options.home).choose(options);
}

async function readShelved(file: BookFile, identity: string): Promise<Shelved> {
  try {
    const { skillbook } = await readBookFile(file);
    const usable = usableSkills(file.book, skillbook);
    return { identity, usable, unvouched: skillbook.size - usable.length };
  } catch (error) {
    return { ...NOTHING, identity, problem: asProblem(error, file.path) };
  }
}

function asProblem(error: unknown, path: string): AcumenError {
  if (AcumenError.isInstance(error)) return error;
  return coreError("CORE_FILE_UNREADABLE", `The skillbook ${path} cannot be read.`, {
    cause: error,
    details: { path, reason: "unreadable" },
  });
}

function reasonOf(
  chosen: number,
  usable: number,
  block: string,
  shelved: readonly Shelved[],
): string {
  const unvouched = shelved.reduce((sum, each) => sum + each.unvouched, 0);
  const parts = [
    chosen === 0
      ? `no skills of ${usable}`
      : `${chosen} of ${usable} ${usable === 1 ? "skill" : "skills"}, ${estimateTokens(block)} tokens`,
    ...(unvouched === 0 ? [] : [`${unvouched} not reviewed and left out`]),
    ...shelved.flatMap(({ problem }) =>
      problem === undefined ? [] : [`a book was left out: ${problem.message}`],
    ),
  ];
  return parts.join("; ");
}

/** Every save of ours is a new inode; an editor that writes in place changes size or time. */
async function identityOf(path: string): Promise<string | undefined> {
  const stats = await stat(path, { bigint: true }).catch(() => undefined);
  return stats && [stats.dev, stats.ino, stats.size, stats.mtimeNs, stats.ctimeNs].join(":");
}
