import { errnoOf, writeFileAtomic } from "@acumen/core";
import { readdir, readFile } from "node:fs/promises";
import { z } from "zod";
import { PlanFolder } from "./plan-folder.ts";
import type { Project } from "./sandboxes.ts";

const recordSchema = z.object({
  format: z.literal("acumen.sandbox"),
  version: z.literal(1),
  project: z.string(),
  kind: z.enum(["git-checkout", "fs-directory"]),
  /** Every commit that the plan has started from: which one counts, only the plan knows. */
  bases: z.array(z.string()).default([]),
});
type PlanRecord = z.output<typeof recordSchema>;

/** Beside each plan's sandboxes: what must be known to take them away. */
export class PlanRecords {
  readonly #root: string;

  constructor(root: string) {
    this.#root = root;
  }

  async write(folder: PlanFolder, project: Project, bases: readonly string[]): Promise<void> {
    const record: PlanRecord = {
      format: "acumen.sandbox",
      version: 1,
      project: project.path,
      kind: project.kind,
      bases: [...bases],
    };
    await writeFileAtomic(folder.facts, `${JSON.stringify(record)}\n`);
  }

  /** Undefined: there is none that can be read. */
  async read(folder: PlanFolder): Promise<PlanRecord | undefined> {
    const text = await readFile(folder.facts, "utf8").catch(() => "null");
    const parsed = recordSchema.safeParse(jsonOf(text));
    return parsed.success ? parsed.data : undefined;
  }

  async planIds(): Promise<readonly string[]> {
    try {
      const entries = await readdir(this.#root, { withFileTypes: true });
      const folders = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
      // What begins so is no plan's.
      return folders.filter((name) => !name.startsWith("."));
    } catch (error) {
      if (errnoOf(error) === "ENOENT") return [];
      throw error;
    }
  }

  /** The plan whose private repository has this commit. */
  async ofBase(project: Project, commit: string): Promise<PlanFolder | undefined> {
    for (const planId of await this.planIds()) {
      const folder = new PlanFolder(this.#root, planId);
      const record = await this.read(folder);
      if (record?.project === project.path && record.bases.includes(commit)) return folder;
    }
    return undefined;
  }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
