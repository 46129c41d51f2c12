import type { Clock } from "@acumen/core";
import type { Boundaries, Bubblewrap, ConfinedCommand } from "./isolation.ts";
import type { AttemptFolder } from "./plan-folder.ts";
import type { PlanRepository } from "./plan-repository.ts";
import type { Sandbox } from "./sandboxes.ts";
import { stageFiles, writeTree } from "./stage-files.ts";

interface AttemptFacts {
  readonly repository: PlanRepository;
  readonly folder: AttemptFolder;
  readonly branch: string;
  readonly attempt: number;
  readonly bubblewrap: Bubblewrap | undefined;
  readonly boundaries: Boundaries;
  readonly clock: Clock;
}

/** Whose commits are made in a git folder that nobody within can reach. */
export class AttemptSandbox implements Sandbox {
  readonly path: string;
  readonly branch: string;
  readonly attempt: number;
  readonly #facts: AttemptFacts;

  constructor(facts: AttemptFacts) {
    this.path = facts.folder.work;
    this.branch = facts.branch;
    this.attempt = facts.attempt;
    this.#facts = facts;
  }

  get isolation(): "bubblewrap" | "none" {
    return this.#facts.bubblewrap === undefined ? "none" : "bubblewrap";
  }

  wrap(command: ConfinedCommand): { readonly file: string; readonly args: readonly string[] } {
    const { bubblewrap, boundaries } = this.#facts;
    return bubblewrap?.wrap(command, boundaries) ?? { file: command.file, args: command.args };
  }

  async checkpoint(message: string, signal?: AbortSignal): Promise<string> {
    const { repository, folder, branch, clock } = this.#facts;
    const ref = `refs/heads/${branch}`;
    const parent = await repository.text(["rev-parse", "--verify", `${ref}^{commit}`]);
    await stageFiles(repository, folder, signal);
    const tree = await writeTree(repository, folder);
    if (tree === (await repository.treeOf(parent))) return parent;
    const commit = await repository.commit({
      tree,
      parents: [parent],
      message,
      date: clock.now(),
    });
    await repository.run(["update-ref", ref, commit, parent]);
    return commit;
  }
}
