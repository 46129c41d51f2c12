import { rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { copyUserIndex } from "./dirty-files.ts";
import type { PlanRepository } from "./plan-repository.ts";
import type { CheckedOut, UserRepository } from "./user-repository.ts";

/** A git that outlived its server ends by itself. */
const WAIT_MS = 10_000;
const POLL_MS = 50;

/** After a crash: finds out whether a branch was moved to a merge, and ends what stopped before its last step. */
export class MoveRepair {
  readonly #user: UserRepository;
  readonly #repository: PlanRepository;
  readonly #ref: string;
  readonly #commit: string;

  constructor(user: UserRepository, repository: PlanRepository, ref: string, commit: string) {
    this.#user = user;
    this.#repository = repository;
    this.#ref = ref;
    this.#commit = commit;
  }

  /** Whether the branch has the merge. */
  async finished(): Promise<boolean> {
    if ((await this.#user.headOf(this.#commit)) === undefined) return false;
    if (await this.#isMoved()) return true;
    const checkout = await this.#user.checkoutOf(this.#ref);
    if (checkout === undefined) return false;
    await untilUnlocked(checkout);
    if (await this.#isMoved()) return true;
    // The files were written, and the branch was about to follow.
    return (await this.#hasFiles(checkout)) && (await this.#follow());
  }

  async #isMoved(): Promise<boolean> {
    const head = await this.#user.headOf(this.#ref);
    return head !== undefined && (await this.#user.isAncestor(this.#commit, head));
  }

  /** The index is that of the merge, and of nothing else. */
  async #hasFiles(checkout: CheckedOut): Promise<boolean> {
    const [old, wanted] = await Promise.all(
      [`${this.#commit}^1`, this.#commit].map((commit) => this.#repository.treeOf(commit)),
    );
    if (old === wanted) return false;
    const indexFile = join(this.#repository.gitDir, "repair.index");
    try {
      if (!(await copyUserIndex(this.#repository, checkout, indexFile))) return false;
      const call = { workTree: checkout.path, indexFile, answers: [0, 128] };
      const { exitCode, stdout } = await this.#repository.run(["write-tree"], call);
      return exitCode === 0 && stdout.toString("utf8").trim() === wanted;
    } finally {
      await rm(indexFile, { force: true });
    }
  }

  async #follow(): Promise<boolean> {
    const head = await this.#user.headOf(`${this.#commit}^1`);
    if (head === undefined) return false;
    return this.#user.swapRef(this.#ref, this.#commit, head, "acumen: finish an apply");
  }
}

async function untilUnlocked({ gitDir }: CheckedOut): Promise<void> {
  const deadline = performance.now() + WAIT_MS;
  const isLocked = (): Promise<boolean> =>
    stat(join(gitDir, "index.lock")).then(
      () => true,
      () => false,
    );
  while ((await isLocked()) && performance.now() < deadline) await delay(POLL_MS);
}
