import type { AcpEventDraft } from "../envelope/acp-event.ts";
import type { JsonObject } from "../envelope/json-value.ts";
import { ValidationError } from "../errors/domain-error.ts";
import { boundedData } from "./bounded-data.ts";
import {
  type AcpEventData,
  type AcpLogEventType,
  EVENT_DATA,
  isLogType,
  isUserType,
  unknownType,
} from "./event-types.ts";

/** An event of a known type; what its data must hold is checked when it compiles, and again when it is committed. */
export function eventDraft<Type extends AcpLogEventType>(
  type: Type,
  data: AcpEventData<Type>,
  about: { readonly plan_id?: string | null; readonly session_id?: string | null } = {},
): AcpEventDraft {
  const { plan_id = null, session_id = null } = about;
  return { event_type: type, plan_id, session_id, data: data as JsonObject };
}

/**
 * Of a known type or `x.`, with the data that its type promises, at most 64 KiB.
 * @throws ValidationError
 */
export function checkedDraft(draft: AcpEventDraft): AcpEventDraft {
  const type = draft.event_type;
  if (isLogType(type)) {
    const checked = EVENT_DATA[type].safeParse(draft.data);
    if (!checked.success) {
      const issues = checked.error.issues.map(({ path, message }) => ({
        path: ["data", ...path.map((key) => (typeof key === "number" ? key : String(key)))],
        message,
      }));
      throw new ValidationError(
        `The data of the event ${type} are not what its type promises.`,
        issues,
      );
    }
  } else if (!isUserType(type)) {
    throw new ValidationError(`${unknownType(type)}.`, [
      { path: ["event_type"], message: "expected a type of the log, or x. and a name" },
    ]);
  }
  return { ...draft, data: boundedData(draft.data) };
}
