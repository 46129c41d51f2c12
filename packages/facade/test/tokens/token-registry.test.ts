import { FakeClock } from "@acumen/testkit";
import { expect, test } from "vitest";
import { MemoryFacadeStore } from "../../src/store/memory-facade-store.ts";
import { TokenRegistry } from "../../src/tokens/token-registry.ts";

function bench() {
  const clock = new FakeClock();
  const store = new MemoryFacadeStore({ clock });
  return { clock, store, tokens: new TokenRegistry(store, clock) };
}

test("a token is acm_ and 40 characters of base 62, and only its hash is stored", async () => {
  const { store, tokens } = bench();
  const { token, record } = await tokens.create({ scopes: ["plan:read", "plan:read"] });
  expect(token).toMatch(/^acm_[0-9A-Za-z]{40}$/);
  expect(JSON.stringify(await store.tokens())).not.toContain(token.slice(4));
  expect(await tokens.principalOf(token)).toEqual({
    owner: "local",
    tokenId: record.token_id,
    scopes: ["plan:read"],
  });
});

test("unknown, expired and revoked ones are nobody's", async () => {
  const { clock, tokens } = bench();
  const soon = new Date(clock.now().getTime() + 1_000);
  const expiring = await tokens.create({ scopes: ["plan:read"], expiresAt: soon });
  const revoked = await tokens.create({ scopes: ["plan:read"] });
  await tokens.revoke(revoked.record.token_id);
  for (const token of [revoked.token, `acm_${"0".repeat(40)}`, "", "acm_", `${expiring.token} `]) {
    expect(await tokens.principalOf(token)).toBeUndefined();
  }
  expect(await tokens.principalOf(expiring.token)).toBeDefined();
  clock.advance(1_000);
  expect(await tokens.principalOf(expiring.token)).toBeUndefined();
  expect(await tokens.recheck(expiring.record.token_id)).toBeUndefined();
  expect(await tokens.recheck(revoked.record.token_id)).toBeUndefined();
  await expect(tokens.revoke("nobody")).rejects.toThrow(/no token nobody/);
});

test("one without scopes, with an odd owner or an end in the past is refused", async () => {
  const { clock, tokens } = bench();
  await expect(tokens.create({ scopes: [] })).rejects.toThrow(/scope/);
  for (const owner of ["", "Ann", "a/b", "x".repeat(64), "-a"]) {
    await expect(tokens.create({ scopes: ["plan:read"], owner })).rejects.toThrow(/owner/);
  }
  const create = tokens.create({ scopes: ["plan:read"], expiresAt: clock.now() });
  await expect(create).rejects.toThrow(/expire/);
});
