import type { Principal } from "../access/principal.ts";
import { AuthenticationError } from "../errors/domain-error.ts";
import type { TokenRegistry } from "../tokens/token-registry.ts";

/** Who asks is known from the token alone. @throws AuthenticationError */
export async function authenticate(headers: Headers, tokens: TokenRegistry): Promise<Principal> {
  const [, token] = /^Bearer ([^\s]+)$/i.exec(headers.get("authorization") ?? "") ?? [];
  if (token === undefined) {
    throw new AuthenticationError(
      "The request has no bearer token; send Authorization: Bearer acm_…",
    );
  }
  const principal = await tokens.principalOf(token);
  if (principal !== undefined) return principal;
  throw new AuthenticationError(
    "The token is unknown, expired or revoked; make one with `acumen token create`.",
  );
}
