import { isJsonObject } from "@acumen/core";

const METHOD_NOT_FOUND = -32_601;
/** Resource not found, invalid params, internal error: editors give each of them for files that are not theirs. */
const CANNOT = new Set([-32_002, -32_602, -32_603]);
/** Words of a person's or a policy's no, which stands whatever the code. */
const DENIED = /\b(?:denied|declined|rejected|refused|forbidden|disallowed|not permitted)\b/i;
const MAX_REASON_CHARS = 200;

export interface ClientRefusal {
  readonly type: "refused";
  /** The host has no such method. */
  readonly unknownMethod: boolean;
  /** The host cannot, and it was no decision against it: another way is open. */
  readonly cannot: boolean;
  /** One line for people, bounded. */
  readonly reason: string;
}

/** What a rejected request says: the host's refusal, or that there is no host any more. */
export function refusalOf(error: unknown): ClientRefusal | { readonly type: "gone" } {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  if (typeof code !== "number" || !(error instanceof Error)) return { type: "gone" };
  const reason = reasonOf(error.message, "data" in error ? error.data : undefined);
  const unknownMethod = code === METHOD_NOT_FOUND;
  const cannot = unknownMethod || (CANNOT.has(code) && !DENIED.test(reason));
  return { type: "refused", unknownMethod, cannot, reason };
}

/** What the host says, of whatever shape its `data` is. */
function reasonOf(message: string, data: unknown): string {
  const said = [message, textOf(data)].filter((text) => text !== "").join(": ");
  const line = said
    .replaceAll(/[\p{Cc}\p{Cf}\s]+/gu, " ")
    .trim()
    .slice(0, MAX_REASON_CHARS);
  return line === "" ? "no reason given" : line;
}

function textOf(data: unknown): string {
  if (typeof data === "string") return data;
  if (!isJsonObject(data)) return "";
  const said = [data["details"], data["message"], data["error"]];
  return said.find((text) => typeof text === "string") ?? "";
}
