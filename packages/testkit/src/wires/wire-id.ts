import { randomBytes } from "node:crypto";

/**
 * A fresh id such as `call_3f…`. Random as in life: a conversation that goes on with a second server must not
 * meet the ids of the first one again.
 */
export function wireId(prefix: string, bytes = 12): string {
  return `${prefix}${randomBytes(bytes).toString("hex")}`;
}

/** Stands for the opaque texts (signatures, encrypted reasoning) that services hand out. */
export function opaqueToken(): string {
  return randomBytes(48).toString("base64");
}
