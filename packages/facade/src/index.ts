// Adding a name here makes it public.
export { FACADE_ERRORS, type FacadeErrorCode } from "./errors.ts";
export { PlanLifecycle, type PlanLifecycleOptions } from "./plans/plan-lifecycle.ts";
export type { PlanSettings } from "./plans/plan-parts.ts";
export { GitSandboxes, type GitSandboxesOptions } from "./sandbox/git-sandboxes.ts";
