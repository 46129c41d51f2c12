import { readdir, realpath } from "node:fs/promises";
import { join } from "node:path";
import { AcumenError, closest, errnoOf, readTextFile } from "@acumen/core";
import { ConflictError, ResourceNotFoundError } from "../errors/domain-error.ts";
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

/** More are no actions: each is read and looked at with each plan. */
const MOST_FILES = 500;

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
    // What the working tree has says nothing about the commit that a plan starts from.
    return undefined;
  }

  async atBase(name: string, project: Project, base: PlanBase): Promise<Action> {
    const builtin = BUILTIN_ACTIONS.find((action) => action.name === name);
    if (builtin !== undefined) return builtin;
    if (!project.trusted) throw unknownAction(name, project, []);
    const found: Action[] = [];
    let fault: AcumenError | undefined;
    const paths = await this.#options.sandboxes.listBase(project, base, ACTIONS_FOLDER);
    for (const path of paths.filter(isAction).toSorted().slice(0, MOST_FILES)) {
      const text = await this.#options.sandboxes.readBase(project, base, path);
      if (text === undefined) continue;
      try {
        found.push(parseAction(text, path));
      } catch (error) {
        if (!AcumenError.isInstance(error)) throw error;
        // A broken file must not keep the others from being used, unless it is the one that is meant.
        if (text.includes(name)) fault ??= error;
      }
    }
    const [action, ...others] = found.filter((one) => one.name === name);
    if (others.length > 0) throw namedTwice(name, found);
    if (action !== undefined) return action;
    if (fault !== undefined) throw fault;
    throw unknownAction(
      name,
      project,
      found.map((one) => one.name),
    );
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
      chosen.map((project) => (project.trusted ? inWorkingTree(project) : ignoredIn(project))),
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

interface InProject {
  readonly actions: readonly ListedAction[];
  readonly problems: readonly ActionProblem[];
}

/** Nothing of what stands there is read. */
async function ignoredIn({ path, name }: Project): Promise<InProject> {
  const files = await filesIn(path);
  if (files.length === 0) return { actions: [], problems: [] };
  const message = `The project is not trusted, so its actions do not count. Look at them, then trust it (acumen trust ${path}).`;
  return { actions: [], problems: [{ project: name, path: ACTIONS_FOLDER, message }] };
}

/** As they stand there now; a plan takes them from the commit it starts from. */
async function inWorkingTree({ path, name }: Project): Promise<InProject> {
  const found: ListedAction[] = [];
  const problems: ActionProblem[] = [];
  const problem = (source: string, message: string): void =>
    void problems.push({ project: name, path: source, message });
  const files = await filesIn(path);
  if (typeof files === "string") problem(ACTIONS_FOLDER, files);
  const all = typeof files === "string" ? [] : files;
  if (all.length > MOST_FILES) {
    problem(ACTIONS_FOLDER, `Of ${all.length} files the first ${MOST_FILES} count.`);
  }
  for (const file of all.slice(0, MOST_FILES)) {
    const source = `${ACTIONS_FOLDER}/${file}`;
    try {
      const text = await readTextFile(join(path, source), { maxBytes: MAX_ACTION_BYTES });
      found.push({ ...parseAction(text, source), project: name });
    } catch (error) {
      if (!AcumenError.isInstance(error)) throw error;
      problem(source, error.message);
    }
  }
  const isTwice = (action: ListedAction): boolean =>
    found.some((other) => other !== action && other.name === action.name);
  for (const action of found.filter(isTwice)) {
    problem(action.source, namedTwice(action.name, found).message);
  }
  return { actions: found.filter((action) => !isTwice(action)), problems };
}

/** In a fixed order; or why they cannot be looked at. */
async function filesIn(project: string): Promise<readonly string[] | string> {
  const folder = join(project, ACTIONS_FOLDER);
  try {
    if ((await realpath(folder)) !== folder) return "The folder is, or lies below, a link.";
    const entries = await readdir(folder, { withFileTypes: true });
    return entries
      .filter((entry) => entry.isFile() && entry.name.endsWith(".md"))
      .map((entry) => entry.name)
      .toSorted();
  } catch (error) {
    if (errnoOf(error) === "ENOENT" || errnoOf(error) === "ENOTDIR") return [];
    return "The folder cannot be read.";
  }
}

/** Which of them is meant nobody can tell. */
function namedTwice(name: string, actions: readonly Action[]): ConflictError {
  const sources = actions.filter((one) => one.name === name).map(({ source }) => source);
  return new ConflictError(`${sources.join(" and ")} have the same name ${name}; rename one.`, {
    details: { action_name: name, paths: sources },
  });
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
