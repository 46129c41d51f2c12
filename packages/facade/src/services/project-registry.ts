import type { Project } from "../sandbox/sandboxes.ts";

/** The folders that this process serves. */
export interface ProjectRegistry {
  /** As they are now: trust may change. The first is the default. */
  list(): Promise<readonly Project[]>;
  /** By path or name; absent: the default. @throws ResourceNotFoundError for anything else */
  find(nameOrPath: string | undefined): Promise<Project>;
}
