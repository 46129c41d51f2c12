import { AcumenError } from "@acumen/core";
import type { JsonObject } from "@acumen/facade";
import { cliError } from "../errors.ts";
import { planArguments } from "./plan-arguments.ts";
import { ask, type PlanClient } from "./plan-client.ts";
import type { PlanFlags } from "./plan-flags.ts";
import { chosenProject, holderOf, realFolder, servedProjects } from "./plan-project.ts";

/**
 * What the command line says of a new plan, without its project.
 * @throws CLI_USAGE
 */
export function createParams(prompt: string, flags: PlanFlags): JsonObject {
  const { action, arg = [], profile, session } = flags;
  const given = planArguments(arg);
  if (action === undefined && prompt.trim() === "" && given["prompt"] === undefined) {
    const isSwallowed = flags.project !== undefined && flags.project.length > 1;
    throw cliError(
      "CLI_USAGE",
      isSwallowed
        ? "Say what should be done, before --project, which takes all words behind it; or name an action with --action."
        : "Say what should be done, or name an action with --action.",
    );
  }
  return {
    action_name: action ?? "builtin/task",
    arguments: { ...given, ...(prompt.trim() !== "" && { prompt }) },
    ...(profile !== undefined && { profile }),
    ...(session !== undefined && { session_id: session }),
  };
}

/**
 * Makes a plan for the project that is meant, and never for one that is only the first of several.
 * @param cwd where the command runs
 * @throws CLI_USAGE when the project cannot be known; as {@link ask}
 */
export async function makePlan(
  client: PlanClient,
  params: JsonObject,
  flags: Pick<PlanFlags, "local" | "project">,
  cwd = process.cwd(),
): Promise<JsonObject> {
  const create = (project?: string): Promise<JsonObject> =>
    ask(client, "plan.create", { ...params, ...(project !== undefined && { project }) });
  const projects = await servedProjects(client);
  // Here the flag says which folders are served; the first is meant where the current one is none of them.
  if (flags.local === true) return create(holderOf(projects ?? [], cwd));
  const [named] = flags.project ?? [];
  if (projects !== undefined) return create(await chosenProject(projects, named, cwd));
  if (named !== undefined) return create(isPath(named) ? await realFolder(named, cwd) : named);
  try {
    return await create(await realFolder(".", cwd));
  } catch (error) {
    const names = namesIn(error);
    if (names === undefined) throw error;
    return create(
      await chosenProject(
        names.map((name) => ({ name })),
        undefined,
        cwd,
      ),
    );
  }
}

/** Relative ones begin at the folder of this process, not at that of the server. */
function isPath(named: string): boolean {
  return /^[./]/.test(named);
}

/** Names of the projects that there are, when the one that was asked for is none of them. */
function namesIn(error: unknown): readonly string[] | undefined {
  if (!AcumenError.isInstance(error) || error.code !== "FACADE_NOT_FOUND") return undefined;
  const { projects } = error.details;
  if (!Array.isArray(projects)) return undefined;
  return projects.filter((name: unknown): name is string => typeof name === "string");
}
