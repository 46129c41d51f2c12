import type { EventPayload } from "@acumen/agent";
import type { SessionUpdate } from "@agentclientprotocol/sdk";
import type { MappingContext } from "./mapping-context.ts";
import { NOTHING_NEW } from "./message-updates.ts";

/** Both, for hosts that know options and hosts that know modes alone. */
export function modeUpdates(
  { mode }: EventPayload<"MODE_CHANGED">,
  context: MappingContext,
): SessionUpdate[] {
  return [
    { sessionUpdate: "current_mode_update", currentModeId: context.shownMode(mode) },
    ...optionUpdates(context),
  ];
}

/** The complete list: one change may bring others. */
export function optionUpdates(context: MappingContext): SessionUpdate[] {
  const configOptions = context.configOptions();
  return configOptions.length === 0
    ? []
    : [{ sessionUpdate: "config_option_update", configOptions }];
}

export function planUpdate({ entries }: EventPayload<"PLAN_UPDATED">): SessionUpdate {
  return {
    sessionUpdate: "plan",
    entries: entries.map(({ content, status, priority = "medium" }) => ({
      content,
      status,
      priority,
    })),
  };
}

/** The record alone when the window is not known: the update has no word for that. */
export function usageUpdates(
  { context_tokens: used, context_window: size }: EventPayload<"USAGE">,
  { cost: amount }: MappingContext,
): SessionUpdate[] {
  if (size === null) return [NOTHING_NEW];
  return [
    {
      sessionUpdate: "usage_update",
      used,
      size,
      ...(amount !== undefined && { cost: { amount, currency: "USD" } }),
    },
  ];
}
