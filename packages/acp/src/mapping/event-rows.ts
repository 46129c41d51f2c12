import type { EventPayload, EventType, SessionEvent } from "@acumen/agent";
import type { SessionUpdate } from "@agentclientprotocol/sdk";
import type { MappingContext } from "./mapping-context.ts";
import {
  compactionUpdates,
  messageUpdates,
  NOTHING_NEW,
  noticeUpdates,
  promptUpdates,
  textUpdate,
} from "./message-updates.ts";
import { NOTICE_TEXTS, type NoticeText } from "./notice-text.ts";
import { modeUpdates, optionUpdates, planUpdate, usageUpdates } from "./setting-updates.ts";
import { callUpdate, resultUpdate } from "./tool-updates.ts";

/** How events of one type become updates. */
export interface EventRow<Type extends EventType> {
  /** For the documentation: what a host gets. */
  readonly update: string;
  /** For the documentation: what it holds, and when there is none. */
  readonly holds: string;
  /** It is said in words, which belong into a turn: outside of one it waits. */
  readonly isSaid?: true;
  readonly map: (event: SessionEvent<Type>, context: MappingContext) => readonly SessionUpdate[];
}

const NOTICE = "`notice`, else `agent_thought_chunk`";

/** Exhaustive: a new type of event does not compile before it is decided what hosts get. */
export const EVENT_ROWS: { readonly [Type in EventType]: EventRow<Type> } = {
  SESSION_CREATED: {
    update: "none",
    holds: "the answer to `session/new` says it",
    map: nothing,
  },
  SESSION_RESUMED: {
    update: "none",
    holds: "the answer to `session/load` or `session/resume` says it",
    map: nothing,
  },
  MODE_CHANGED: {
    update: "`current_mode_update`, `config_option_update`",
    holds: "the mode as it acts, and all options",
    map: ({ payload }, context) => modeUpdates(payload, context),
  },
  MODEL_CHANGED: {
    update: "`config_option_update`",
    holds: "all options",
    map: (_event, context) => optionUpdates(context),
  },
  TITLE_CHANGED: {
    update: "`session_info_update`",
    holds: "the title, and when it changed",
    map: ({ payload: { title }, timestamp: updatedAt }) => [
      { sessionUpdate: "session_info_update", title, updatedAt },
    ],
  },
  USER_MESSAGE: {
    update: "`user_message_chunk` in replay, `session_info_update` live",
    holds:
      "each block of the prompt; live only the record, because the host shows the prompt itself",
    map: promptUpdates,
  },
  ASSISTANT_MESSAGE: {
    update: "`agent_message_chunk`, `agent_thought_chunk` for thoughts",
    holds:
      "the whole text; live its pieces come while they are written, and the record rides on an empty `session_info_update`",
    isSaid: true,
    map: ({ payload }, context) => messageUpdates(payload, context),
  },
  TOOL_CALL: {
    update: "`tool_call`",
    holds: "`pending`, with kind, title, name, input, locations and diff",
    map: ({ payload, turn_id: turnId }, context) => [callUpdate(payload, turnId, context)],
  },
  TOOL_RESULT: {
    update: "`tool_call_update`",
    holds: "`completed`, else `failed`; diff and output as content, facts in `rawOutput`",
    map: ({ payload }, context) => [resultUpdate(payload, context) ?? []].flat(),
  },
  PLAN_UPDATED: {
    update: "`plan`",
    holds: "all entries",
    map: ({ payload }) => [planUpdate(payload)],
  },
  APPROVAL_REQUESTED: {
    update: "`session_info_update`",
    holds: "only the record; the host is asked with `session/request_permission`",
    map: recordAlone,
  },
  APPROVAL_DECIDED: {
    update: "`session_info_update`",
    holds: "only the record; the call runs, or its result says why not",
    map: recordAlone,
  },
  USAGE: {
    update: "`usage_update`",
    holds:
      "tokens of the context, its window, and the cost of the session so far in USD when every price is known; the record on an empty `session_info_update` when the window is not known",
    map: ({ payload }, context) => usageUpdates(payload, context),
  },
  AUTO_CONTINUE: notice(NOTICE_TEXTS.AUTO_CONTINUE, "why the turn goes on by itself"),
  AUTO_STOP: notice(NOTICE_TEXTS.AUTO_STOP, "the limit that ended the turn"),
  BLOCKED: {
    update: `${NOTICE}; a question also as \`agent_message_chunk\``,
    holds: "why the turn cannot go on",
    isSaid: true,
    map: ({ event_id: id, payload }, context) => [
      ...noticeUpdates(NOTICE_TEXTS.BLOCKED(payload), id, context),
      ...(payload.reason === "question"
        ? [textUpdate("assistant", `${id}/q`, payload.detail)]
        : []),
    ],
  },
  COMPACT: {
    update: `\`compaction_update\`, else ${NOTICE}`,
    holds: "the summary; else the tokens before and after",
    isSaid: true,
    map: (event, context) => compactionUpdates(event, NOTICE_TEXTS.COMPACT(event.payload), context),
  },
  ERROR: notice(NOTICE_TEXTS.ERROR, "the code, where it happened, and the message"),
  MCP_STATUS: notice(
    NOTICE_TEXTS.MCP_STATUS,
    "the state and why; none while a server connects, or for one that is not used",
  ),
  SKILLS_APPLIED: notice(
    NOTICE_TEXTS.SKILLS_APPLIED,
    "how many skills were chosen and why; the record on an empty `session_info_update` when there was none",
    recordAlone(),
  ),
  FEEDBACK: notice(NOTICE_TEXTS.FEEDBACK, "the rating and its text"),
  FILES_RESTORED: notice(NOTICE_TEXTS.FILES_RESTORED, "the files that an undo gave back"),
};

function notice<Type extends EventType>(
  text: (payload: EventPayload<Type>) => NoticeText | undefined,
  holds: string,
  otherwise: readonly SessionUpdate[] = [],
): EventRow<Type> {
  return {
    update: NOTICE,
    holds,
    isSaid: true,
    map: ({ event_id: id, payload }, context) => {
      const said = text(payload as EventPayload<Type>);
      return said === undefined ? otherwise : noticeUpdates(said, id, context);
    },
  };
}

function nothing(): readonly SessionUpdate[] {
  return [];
}

/** For hosts that read the stream of events; the others see nothing. */
function recordAlone(): readonly SessionUpdate[] {
  return [NOTHING_NEW];
}

/** For the documentation, in the order of the event types. */
export const HOST_UPDATE_ROWS: readonly {
  readonly event: string;
  readonly update: string;
  readonly holds: string;
}[] = Object.entries(EVENT_ROWS).map(([event, { update, holds }]) => ({ event, update, holds }));
