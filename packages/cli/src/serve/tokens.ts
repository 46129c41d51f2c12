import { join } from "node:path";
import { createStderrLogger, systemClock } from "@acumen/core";
import { openSqliteStore, type Scope, SCOPES, TokenRegistry } from "@acumen/facade";
import type { CommandContext } from "../command-context.ts";
import { cliError } from "../errors.ts";
import { refuseAgent } from "../refuse-agent.ts";
import { homeOf } from "../settings/home.ts";
import { tableLines } from "../terminal/table.ts";
import { expiryOf } from "./expiry.ts";

/** What is shown of a token. */
export interface ShownToken {
  readonly token_id: string;
  readonly owner: string;
  readonly scopes: readonly Scope[];
  readonly created_at: string;
  readonly expires_at: string | null;
  readonly revoked_at: string | null;
}

/** @throws CLI_REFUSED_TO_AGENT, CLI_USAGE, FACADE_VALIDATION_ERROR, FACADE_CONFIGURATION_ERROR */
export async function createToken(
  context: CommandContext,
  flags: { readonly scope: readonly string[]; readonly owner?: string; readonly expires?: string },
): Promise<{
  readonly token: string;
  readonly token_id: string;
  readonly owner: string;
  readonly scopes: readonly Scope[];
  readonly expires_at: string | null;
}> {
  refuseAgent(context.environment.variables, "acumen token create");
  const scopes = scopesOf(flags.scope);
  const expiresAt = flags.expires === undefined ? null : expiryOf(flags.expires, systemClock.now());
  return withTokens(context, async (tokens) => {
    const { token, record } = await tokens.create({
      scopes,
      expiresAt,
      ...(flags.owner !== undefined && { owner: flags.owner }),
    });
    const { token_id, owner, expires_at } = record;
    return { token, token_id, owner, scopes: record.scopes, expires_at };
  });
}

/** @throws CLI_REFUSED_TO_AGENT, FACADE_CONFIGURATION_ERROR */
export async function listTokens(context: CommandContext): Promise<readonly ShownToken[]> {
  refuseAgent(context.environment.variables, "acumen token list");
  return withTokens(context, async (tokens) =>
    (await tokens.list()).map(({ hash: _hash, ...shown }) => shown),
  );
}

/** @throws CLI_REFUSED_TO_AGENT, FACADE_NOT_FOUND, FACADE_CONFIGURATION_ERROR */
export async function revokeToken(context: CommandContext, tokenId: string): Promise<void> {
  refuseAgent(context.environment.variables, "acumen token revoke");
  await withTokens(context, (tokens) => tokens.revoke(tokenId));
}

export function tokenLines(tokens: readonly ShownToken[], width: number): readonly string[] {
  if (tokens.length === 0) return ["No token was made yet; `acumen token create` makes one."];
  const columns = [
    { title: "token", width: 26 },
    { title: "owner", width: 10 },
    { title: "ends", width: 10 },
    { title: "scopes", width: 28 },
  ];
  return tableLines(
    columns,
    tokens.map((token) => [token.token_id, token.owner, endOf(token), scopesText(token)]),
    width,
  );
}

/** Beside a server too: several processes may have the database open. */
async function withTokens<T>(
  { environment }: CommandContext,
  work: (tokens: TokenRegistry) => Promise<T>,
): Promise<T> {
  const { variables, logLevel } = environment;
  const store = await openSqliteStore(databasePath(variables), {
    clock: systemClock,
    logger: createStderrLogger({ name: "acumen", level: logLevel }),
    exclusive: false,
  });
  try {
    return await work(new TokenRegistry(store, systemClock));
  } finally {
    await store.close();
  }
}

export function databasePath(variables: Readonly<Record<string, string | undefined>>): string {
  return join(homeOf(variables).folder, "acumen.db");
}

function scopesOf(names: readonly string[]): readonly Scope[] {
  const wanted = names.flatMap((name) => name.split(",")).map((name) => name.trim());
  if (wanted.includes("all")) return SCOPES;
  const unknown = wanted.filter((name) => !(SCOPES as readonly string[]).includes(name));
  if (unknown.length === 0) return wanted as Scope[];
  throw cliError(
    "CLI_USAGE",
    `There is no scope ${unknown.map((name) => JSON.stringify(name)).join(", ")}; use ${SCOPES.join(", ")} or all.`,
  );
}

function endOf({ revoked_at: revoked, expires_at: expires }: ShownToken): string {
  if (revoked !== null) return "revoked";
  return expires === null ? "never" : expires.slice(0, 10);
}

function scopesText({ scopes }: ShownToken): string {
  return scopes.length === SCOPES.length ? "all" : scopes.join(" ");
}
