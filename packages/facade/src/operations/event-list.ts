import { z } from "zod";
import { acpEventSchema } from "../envelope/acp-event.ts";
import {
  afterParam,
  eventIncludeParam,
  eventTypesParam,
  planIdParam,
  sessionIdParam,
} from "./common-params.ts";
import { filterOf } from "./filter-params.ts";
import { defineOperation } from "./operation.ts";

export const eventList = defineOperation({
  name: "event.list",
  summary: "Events of the log after a cursor, oldest first.",
  params: z.strictObject({
    /** Absent: from the oldest event that is kept. */
    after: afterParam.exactOptional(),
    limit: z.number().int().min(1).max(1_000).default(100),
    plan_id: planIdParam.exactOptional(),
    session_id: sessionIdParam.exactOptional(),
    types: eventTypesParam.exactOptional(),
    include: eventIncludeParam.exactOptional(),
  }),
  output: z.looseObject({
    events: z.array(acpEventSchema),
    /** Where the next call goes on. */
    cursor: z.number().int(),
    more: z.boolean(),
    oldest: z.number().int(),
  }),
  scope: "events:read",
  mutating: false,
  run: async ({ after, limit, ...filter }, context) => {
    const list = context.services.method("event_queue", "list");
    const page = await list(
      { ...filterOf(filter), limit, ...(after !== undefined && { after }) },
      context,
    );
    return { ...page, events: [...page.events] };
  },
});
