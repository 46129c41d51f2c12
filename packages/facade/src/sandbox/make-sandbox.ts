import { mkdir } from "node:fs/promises";
import { makeAgentRepository } from "./agent-repository.ts";
import type { Boundaries } from "./isolation.ts";
import type { AttemptFolder } from "./plan-folder.ts";
import type { Lender, PlanRepository } from "./plan-repository.ts";
import type { ProjectSide } from "./project-side.ts";
import type { SandboxContext } from "./sandbox-context.ts";
import type { Project } from "./sandboxes.ts";

interface WorkTree {
  readonly repository: PlanRepository;
  readonly folder: AttemptFolder;
  readonly lender: Lender;
  readonly branch: string;
  readonly commit: string;
  readonly signal: AbortSignal;
}

/** A folder with the files of a commit and a git folder of its own; one that was there is replaced. */
export async function makeWorkTree(context: SandboxContext, facts: WorkTree): Promise<void> {
  const { repository, folder, branch, commit, signal } = facts;
  await context.trash.take(folder.path);
  await mkdir(folder.work, { recursive: true, mode: 0o700 });
  await mkdir(folder.temp, { recursive: true, mode: 0o700 });
  await repository.checkOut(commit, folder, signal);
  await makeAgentRepository(context.git, {
    work: folder.work,
    index: folder.index,
    lender: lenderWith(repository, facts.lender),
    branch,
    base: commit,
  });
}

export async function boundariesOf(
  { hidden }: SandboxContext,
  side: ProjectSide,
  facts: {
    readonly project: Project;
    readonly repository: PlanRepository;
    readonly folder: AttemptFolder;
    readonly lender: Lender;
  },
): Promise<Boundaries> {
  const { project, repository, folder, lender } = facts;
  return {
    work: folder.work,
    temp: folder.temp,
    hidden: [...hidden, ...(await side.hidden(project))],
    // Without objects there is no history. Refs, configuration and hooks of the user stay hidden.
    readable: lenderWith(repository, lender).objectFolders,
  };
}

function lenderWith({ objects }: PlanRepository, lender: Lender): Lender {
  return { ...lender, objectFolders: [objects, ...lender.objectFolders] };
}
