import { AcpError } from "../errors/acp-error.ts";
import type { EventBounds } from "./facade-store.ts";

/**
 * A cursor must be within what is kept: one before it missed events, one behind the newest is of another log.
 * @throws AcpError FACADE_CURSOR_EXPIRED with `details.oldest` and `details.newest`
 */
export function checkCursor(after: number, { oldest, newest }: EventBounds): void {
  if (after >= oldest - 1 && after <= newest) return;
  const reason =
    after > newest
      ? `lies behind the newest event ${newest}, so it is of another log`
      : `is older than the oldest event that is kept, ${oldest}`;
  throw new AcpError(
    "FACADE_CURSOR_EXPIRED",
    `The cursor ${after} ${reason}; read the state again and subscribe without a cursor.`,
    { details: { after, oldest, newest } },
  );
}
