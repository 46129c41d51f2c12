import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { AcumenError, closest, errnoOf, readTextFile } from "@acumen/core";
import { ResourceNotFoundError } from "../errors/domain-error.ts";
import type {
  Action,
  ActionProblem,
  ActionRegistry,
  ListedAction,
} from "../services/action-registry.ts";
import type { ProjectRegistry } from "../services/project-registry.ts";
import { pageOf } from "../registries/page-of.ts";
import type { PlanBase, Project, Sandboxes } from "../sandbox/sandboxes.ts";
import { ACTIONS_FOLDER, MAX_ACTION_BYTES, parseAction } from "./action-file.ts";
import { BUILTIN_ACTIONS } from "./builtin-actions.ts";

export interface ProjectActionsOptions {
  readonly projects: ProjectRegistry;
  readonly sandboxes: Pick<Sandboxes, "listBase" | "readBase">;
}

/** Built-in actions and those that trusted projects bring. */
export class ProjectActions implements ActionRegistry {
  readonly #options: ProjectActionsOptions;

  constructor(options: ProjectActionsOptions) {
    this.#options = options;
  }

  async inAdvance(name: string, project: Project): Promise<Action | undefined> {
    const builtin = BUILTIN_ACTIONS.find((action) => action.name === name);
    if (builtin !== undefined) return builtin;
    if (!project.trusted || isReserved(name)) throw unknownAction(name, project, []);
    const { actions, problems } = await inWorkingTree(project);
    const known = actions.map((action) => action.name);
    // A file that cannot be used now may have been good when it was committed.
    if (problems.length === 0 && !known.includes(name)) throw unknownAction(name, project, known);
    return undefined;
  }

  async atBase(name: string, project: Project, base: PlanBase): Promise<Action> {
    const builtin = BUILTIN_ACTIONS.find((action) => action.name === name);
    if (builtin !== undefined) return builtin;
    if (!project.trusted) throw unknownAction(name, project, []);
    const known: string[] = [];
    let fault: AcumenError | undefined;
    for (const path of await this.#options.sandboxes.listBase(project, base, ACTIONS_FOLDER)) {
      if (!isAction(path)) continue;
      const text = await this.#options.sandboxes.readBase(project, base, path);
      if (text === undefined) continue;
      try {
        const action = parseAction(text, path);
        if (action.name === name) return action;
        known.push(action.name);
      } catch (error) {
        if (!AcumenError.isInstance(error)) throw error;
        // A broken file must not keep the others from being used, unless it is the one that is meant.
        if (text.includes(name)) fault ??= error;
      }
    }
    if (fault !== undefined) throw fault;
    throw unknownAction(name, project, known);
  }

  async listActions(query: {
    readonly project?: string;
    readonly cursor?: string;
    readonly limit: number;
  }): ReturnType<ActionRegistry["listActions"]> {
    const { projects } = this.#options;
    const chosen =
      query.project === undefined ? await projects.list() : [await projects.find(query.project)];
    const found = await Promise.all(
      chosen.filter(({ trusted }) => trusted).map((project) => inWorkingTree(project)),
    );
    const items: ListedAction[] = [
      ...BUILTIN_ACTIONS.map((action) => ({ ...action, project: null })),
      ...found.flatMap(({ actions }) => actions),
    ];
    const page = pageOf(items, query, ({ name, project }) => `${name}\n${project ?? ""}`);
    return { ...page, problems: found.flatMap(({ problems }) => problems) };
  }
}

/** No project brings actions of these namespaces. */
function isReserved(name: string): boolean {
  return name.startsWith("builtin/") || name.startsWith("mcp/");
}

function isAction(path: string): boolean {
  return path.endsWith(".md") && !path.slice(ACTIONS_FOLDER.length + 1).includes("/");
}

/** As they stand there now; a plan takes them from the commit it starts from. */
async function inWorkingTree({ path, name }: Project): Promise<{
  readonly actions: readonly ListedAction[];
  readonly problems: readonly ActionProblem[];
}> {
  const actions: ListedAction[] = [];
  const problems: ActionProblem[] = [];
  for (const file of await filesIn(join(path, ACTIONS_FOLDER))) {
    const source = `${ACTIONS_FOLDER}/${file}`;
    try {
      const text = await readTextFile(join(path, source), { maxBytes: MAX_ACTION_BYTES });
      actions.push({ ...parseAction(text, source), project: name });
    } catch (error) {
      if (!AcumenError.isInstance(error)) throw error;
      problems.push({ project: name, path: source, message: error.message });
    }
  }
  return { actions, problems };
}

async function filesIn(folder: string): Promise<readonly string[]> {
  try {
    const entries = await readdir(folder, { withFileTypes: true });
    return entries
      .filter((entry) => entry.isFile() && entry.name.endsWith(".md"))
      .map((entry) => entry.name)
      .toSorted();
  } catch (error) {
    if (errnoOf(error) === "ENOENT" || errnoOf(error) === "ENOTDIR") return [];
    throw error;
  }
}

function unknownAction(
  name: string,
  project: Project,
  known: readonly string[],
): ResourceNotFoundError {
  const names = [...BUILTIN_ACTIONS.map((action) => action.name), ...known];
  const near = closest(name, names);
  const hint = near === undefined ? `there are ${names.join(", ")}` : `did you mean ${near}?`;
  const trust = project.trusted
    ? `; a file in ${ACTIONS_FOLDER} counts while it is there, and when it is committed`
    : `; ${project.name} is not trusted, so its own actions do not count`;
  return new ResourceNotFoundError(`There is no action ${JSON.stringify(name)}; ${hint}${trust}.`, {
    details: { action_name: name, project: project.name },
  });
}
