import { SCOPES, type Scope } from "./scope.ts";

/** Who asks, as the transport knows it; never taken from a request. */
export interface Principal {
  /** Sees only what belongs to it. */
  readonly owner: string;
  /** Null in process. */
  readonly tokenId: string | null;
  readonly scopes: readonly Scope[];
}

export const LOCAL_OWNER = "local";

/** Code of this process acts as the user of the operating system and may do everything. */
export const LOCAL_PRINCIPAL: Principal = { owner: LOCAL_OWNER, tokenId: null, scopes: SCOPES };
