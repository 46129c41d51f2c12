import { createHash, randomInt, timingSafeEqual } from "node:crypto";
import { type Clock, createId } from "@acumen/core";
import { LOCAL_OWNER, type Principal } from "../access/principal.ts";
import type { Scope } from "../access/scope.ts";
import { ResourceNotFoundError, ValidationError } from "../errors/domain-error.ts";
import type { FacadeStore, TokenRecord } from "../store/facade-store.ts";

const PREFIX = "acm_";
const LENGTH = 40;
const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const TOKEN = /^acm_[0-9A-Za-z]{40}$/;
const OWNER = /^[a-z0-9][a-z0-9._-]{0,62}$/;

export interface NewToken {
  readonly scopes: readonly Scope[];
  /** Default `local`. */
  readonly owner?: string;
  /** Null: never. */
  readonly expiresAt?: Date | null;
}

/** Bearer tokens of a server. Only their hashes are stored; the token itself is told once. */
export class TokenRegistry {
  readonly #store: FacadeStore;
  readonly #clock: Clock;

  constructor(store: FacadeStore, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  /** @throws ValidationError */
  async create({
    scopes,
    owner = LOCAL_OWNER,
    expiresAt = null,
  }: NewToken): Promise<{ readonly token: string; readonly record: TokenRecord }> {
    if (scopes.length === 0) throw refused("scopes", "A token needs at least one scope.");
    if (!OWNER.test(owner)) {
      throw refused("owner", "An owner is 1 to 63 of a-z, 0-9, dot, dash and underscore.");
    }
    if (expiresAt !== null && expiresAt <= this.#clock.now()) {
      throw refused("expires_at", "A token cannot expire before it is made.");
    }
    const token = PREFIX + Array.from({ length: LENGTH }, () => BASE62[randomInt(62)]).join("");
    const record: TokenRecord = {
      token_id: createId(),
      hash: hashOf(token),
      owner,
      scopes: [...new Set(scopes)],
      created_at: this.#clock.now().toISOString(),
      expires_at: expiresAt?.toISOString() ?? null,
      revoked_at: null,
    };
    await this.#store.addToken(record);
    return { token, record };
  }

  /** Who sends this token; undefined when it is unknown, expired or revoked. */
  async principalOf(token: string): Promise<Principal | undefined> {
    if (!TOKEN.test(token)) return undefined;
    const hash = hashOf(token);
    const record = await this.#store.tokenByHash(hash);
    if (record === undefined || !isSame(record.hash, hash)) return undefined;
    return this.#isValid(record) ? principalFrom(record) : undefined;
  }

  /** What a token may do now; undefined when it was revoked or expired meanwhile. */
  async recheck(tokenId: string): Promise<Principal | undefined> {
    const record = await this.#store.token(tokenId);
    return record !== undefined && this.#isValid(record) ? principalFrom(record) : undefined;
  }

  list(): Promise<readonly TokenRecord[]> {
    return this.#store.tokens();
  }

  /** @throws ResourceNotFoundError */
  async revoke(tokenId: string): Promise<void> {
    if (await this.#store.revokeToken(tokenId, this.#clock.now().toISOString())) return;
    throw new ResourceNotFoundError(
      `There is no token ${tokenId}; \`acumen token list\` shows them.`,
      {
        details: { token_id: tokenId },
      },
    );
  }

  #isValid({ expires_at: expiresAt, revoked_at: revokedAt }: TokenRecord): boolean {
    return revokedAt === null && (expiresAt === null || new Date(expiresAt) > this.#clock.now());
  }
}

function hashOf(token: string): string {
  return createHash("sha256").update(token).digest("hex");
}

function isSame(a: string, b: string): boolean {
  const [one, other] = [Buffer.from(a), Buffer.from(b)];
  return one.length === other.length && timingSafeEqual(one, other);
}

function principalFrom({ owner, token_id: tokenId, scopes }: TokenRecord): Principal {
  return { owner, tokenId, scopes };
}

function refused(field: string, message: string): ValidationError {
  return new ValidationError(message, [{ path: [field], message }]);
}
