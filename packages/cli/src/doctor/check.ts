/** `wrong` keeps Acumen from working; `note` is worth knowing. */
export type CheckStatus = "ok" | "note" | "wrong";

/** One finding. Texts hold no key. */
export interface Check {
  readonly name: string;
  readonly status: CheckStatus;
  readonly message: string;
  readonly remedy?: string;
}

export function check(name: string, status: CheckStatus, message: string, remedy?: string): Check {
  return { name, status, message, ...(remedy !== undefined && { remedy }) };
}
