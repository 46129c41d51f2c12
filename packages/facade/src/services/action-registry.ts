import type { Caller } from "../access/caller.ts";
import type { JsonObject } from "../envelope/json-value.ts";
import type { ProfileName } from "../plans/profile.ts";
import type { PlanBase, Project } from "../sandbox/sandboxes.ts";
import type { ValidationSpec } from "../sandbox/validation.ts";
import type { ListedPage } from "./registries.ts";

/** A reusable template of plans. */
export interface Action {
  /** `namespace/name`. */
  readonly name: string;
  readonly description: string;
  /** JSON Schema of an object. */
  readonly arguments: JsonObject;
  readonly definition_of_done: string | null;
  readonly validations: readonly ValidationSpec[];
  readonly profile: ProfileName | null;
  /** With `{{argument}}` placeholders. */
  readonly body: string;
  /** `builtin`, or its path within the project. */
  readonly source: string;
  /** SHA-256 (hex) of its text. */
  readonly digest: string;
}

export interface ListedAction extends Action {
  readonly project: string | null;
}

/** An action's file that cannot be used, and why. */
export interface ActionProblem {
  readonly project: string;
  readonly path: string;
  readonly message: string;
}

/** Key `action_registry`. */
export interface ActionRegistry {
  /**
   * What can be said before a base is pinned, without any process: the action when it is the same at each base, undefined when only the
   * base can tell.
   * @throws ResourceNotFoundError for what no base of the project can have
   */
  inAdvance?(name: string, project: Project): Promise<Action | undefined>;
  /**
   * As it stands at the base commit, never as it is in the working tree.
   * @throws ResourceNotFoundError; ValidationError when its file cannot be used
   */
  atBase(name: string, project: Project, base: PlanBase): Promise<Action>;
  /** Those of the projects' current commits. */
  listActions(
    query: { readonly project?: string; readonly cursor?: string; readonly limit: number },
    caller: Caller,
  ): Promise<ListedPage<ListedAction> & { readonly problems: readonly ActionProblem[] }>;
}
