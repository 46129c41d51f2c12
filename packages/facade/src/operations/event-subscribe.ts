import { z } from "zod";
import {
  afterParam,
  eventIncludeParam,
  eventTypesParam,
  planIdParam,
  sessionIdParam,
} from "./common-params.ts";
import { filterOf } from "./filter-params.ts";
import { defineOperation } from "./operation.ts";

export const eventSubscribe = defineOperation({
  name: "event.subscribe",
  summary: "Opens a subscription; its events are read from the stream that the answer names.",
  params: z.strictObject({
    plan_id: planIdParam.exactOptional(),
    session_id: sessionIdParam.exactOptional(),
    types: eventTypesParam.exactOptional(),
    include: eventIncludeParam.exactOptional(),
    /** Seq of the last event that the caller has; absent: a snapshot first. */
    after: afterParam.exactOptional(),
  }),
  output: z.looseObject({
    subscription_id: z.string(),
    status: z.literal("active"),
    cursor: z.number().int(),
    oldest: z.number().int(),
    /** Null for a user's own queue, which is read in process. */
    stream_url: z.string().nullable(),
  }),
  scope: "events:read",
  mutating: false,
  run: async ({ after, ...filter }, context) => {
    const open = context.services.method("event_queue", "open");
    const opened = await open(
      { ...filterOf(filter), ...(after !== undefined && { after }) },
      context,
    );
    const { subscription_id: id, stream_url: url } = opened;
    return {
      ...opened,
      status: "active" as const,
      stream_url: url === null ? url : `/acp/v1/events?subscription_id=${encodeURIComponent(id)}`,
    };
  },
});
