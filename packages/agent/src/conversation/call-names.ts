import type { MadeBy } from "../events/event-payloads.ts";
import { isInheritedName } from "../tools/inherited-names.ts";
import type { Call } from "./history.ts";
import type { ConversationTarget } from "./model-parts.ts";

/** What every service takes as id of a call. */
const PLAIN_ID = /^[a-zA-Z0-9_-]{1,64}$/;
const MAX_NAME_CHARS = 63;

/** Whether the model of this conversation made it, so that it gets its own metadata back. */
export function isOwn(
  { made_by: maker }: { readonly made_by?: MadeBy },
  { provider, model }: ConversationTarget,
): boolean {
  return maker?.provider === provider && maker.model === model;
}

/**
 * Ids as the calls have them; another one where services would refuse it: a second call of the same id, or another model's
 * id of an unusual form. The other one depends on the seq alone, so it stays the same from request to request.
 */
export function callIds(
  calls: readonly Call[],
  target: ConversationTarget,
): ReadonlyMap<Call, string> {
  const used = new Set<string>();
  return new Map(
    calls.map((call) => {
      const { call_id: id } = call.event.payload;
      const usable = isOwn(call.event.payload, target) || PLAIN_ID.test(id);
      const own = usable && id !== "" && !used.has(id) ? id : idOf(call.event.seq, used);
      used.add(own);
      return [call, own];
    }),
  );
}

/** Nine letters and digits: the only form that all services take. */
function idOf(seq: number, used: ReadonlySet<string>): string {
  let id = `c${String(seq).padStart(8, "0")}`;
  while (used.has(id)) id = `${id}x`;
  return id;
}

/** Models call functions that do not exist, by names that services refuse when they come back. */
export function callName(name: string): string {
  const plain = name.replace(/[^a-zA-Z0-9_-]/g, "_").slice(0, MAX_NAME_CHARS);
  if (isInheritedName(plain)) return `_${plain}`;
  return /^[a-zA-Z_]/.test(plain) ? plain : `_${plain}`.slice(0, MAX_NAME_CHARS);
}
