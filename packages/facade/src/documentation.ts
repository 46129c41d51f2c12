// What generated documents say. An entry of its own, so that nobody takes these tables for an interface.
export { HTTP_STATUS } from "./http/http-status.ts";
export { OPERATION_LIST } from "./operations/operation-table.ts";
export { schemaOf } from "./operations/system-describe.ts";
export { PLAN_OPERATIONS, verdictOf } from "./plans/legal-calls.ts";
export { PLAN_POINTS, TRANSITIONS } from "./plans/transitions.ts";
