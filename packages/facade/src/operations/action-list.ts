import { z } from "zod";
import { nextCursor, pageParams, projectParam } from "./common-params.ts";
import { defineOperation } from "./operation.ts";

export const actionList = defineOperation({
  name: "action.list",
  summary: "Actions that plans can be made from, and files that hold none because of a fault.",
  params: z.strictObject({ ...pageParams, project: projectParam.exactOptional() }),
  output: z.looseObject({
    actions: z.array(z.looseObject({ name: z.string(), description: z.string() })),
    problems: z.array(z.looseObject({ path: z.string(), message: z.string() })),
    next_cursor: nextCursor,
  }),
  scope: "registry:read",
  mutating: false,
  run: async (params, context) => {
    const {
      items,
      problems,
      next_cursor: cursor,
    } = await context.services.get("action_registry").listActions(params, context);
    return {
      actions: items.map(({ body: _body, ...action }) => ({ ...action })),
      problems: problems.map((problem) => ({ ...problem })),
      next_cursor: cursor,
    };
  },
});
