import { readFile } from "node:fs/promises";
import { AcumenError, createStderrLogger, systemClock } from "@acumen/core";
import {
  type FacadeServer,
  type FacadeStore,
  LOCAL_OWNER,
  MemoryFacadeStore,
  openSqliteStore,
  SCOPES,
  startFacadeServer,
  TokenRegistry,
} from "@acumen/facade";
import type { CommandContext } from "../command-context.ts";
import type { ServeFlags } from "../commands/serve.ts";
import { cliError } from "../errors.ts";
import { EXIT_CODES, exitCodeOf } from "../exit-code.ts";
import { refuseAgent } from "../refuse-agent.ts";
import { count } from "../terminal/count.ts";
import { printable } from "../terminal/printable.ts";
import { LEAVE_MS } from "./close-in-time.ts";
import { refuseWholeMachine } from "./refuse-whole-machine.ts";
import { openFacade, type OpenedFacade } from "./open-facade.ts";
import { databasePath } from "./tokens.ts";

/**
 * Serves until a signal ends it, which is its usual end; what runs then goes on after the next start. Everything that it says goes to
 * stderr.
 * @throws CLI_REFUSED_TO_AGENT, CLI_USAGE, CLI_INTERRUPTED before it listens, FACADE_CONFIGURATION_ERROR and what {@link openFacade} throws
 */
export async function serve(flags: ServeFlags, context: CommandContext): Promise<void> {
  const { environment, signal, stderr, ending } = context;
  // Whoever serves hands out tokens.
  refuseAgent(environment.variables, "acumen serve");
  await refuseWholeMachine(flags.project ?? [process.cwd()], environment.variables);
  await served(flags, context);
  const { reason } = signal;
  const name = AcumenError.isInstance(reason) ? reason.details["signal"] : undefined;
  if (typeof name !== "string" || name === "SIGPIPE") return signal.throwIfAborted();
  stderr.write(`acumen: stopped (${name})\n`);
  ending.exitCode = exitCodeOf(reason);
}

async function served(flags: ServeFlags, context: CommandContext): Promise<void> {
  const { environment, signal, stderr } = context;
  const tls = await certificate(flags);
  const logger = createStderrLogger({ name: "acumen", level: environment.logLevel });
  const store = await openStore(flags, context);
  await using opened = await openedOrClosed(store, () => openFacade(environment, flags, store));
  const tokens = new TokenRegistry(store, systemClock);
  const server = await startFacadeServer({
    facade: opened.facade,
    queue: opened.local.queue,
    tokens,
    store,
    host: flags.host,
    port: flags.port,
    hosts: flags.allowHost ?? [],
    origins: flags.allowOrigin ?? [],
    insecureBind: flags.insecureBind === true,
    clock: systemClock,
    logger,
    ...(tls !== undefined && { tls }),
  });
  try {
    // Not before it listens: a token that nobody was told would keep the next start from making one.
    const token = await firstToken(tokens, flags.rotateToken === true);
    for (const line of await heading(server, opened, flags)) stderr.write(`${line}\n`);
    if (token !== undefined)
      for (const line of tokenLines(token, server)) stderr.write(`${line}\n`);
    await ended(signal);
  } finally {
    await server.close();
  }
  leaveInTime(context);
}

/** What cannot be stopped, such as the removal of many files, keeps the process no longer; the next start does it again. */
function leaveInTime({ exit, signal }: CommandContext): void {
  const code = AcumenError.isInstance(signal.reason) ? exitCodeOf(signal.reason) : EXIT_CODES.done;
  setTimeout(() => exit?.(code), LEAVE_MS).unref();
}

async function openStore(flags: ServeFlags, { environment }: CommandContext): Promise<FacadeStore> {
  if (flags.ephemeral === true) return new MemoryFacadeStore({ clock: systemClock });
  const logger = createStderrLogger({ name: "acumen", level: environment.logLevel });
  return openSqliteStore(databasePath(environment.variables), { clock: systemClock, logger });
}

async function openedOrClosed(
  store: FacadeStore,
  open: () => Promise<OpenedFacade>,
): Promise<OpenedFacade> {
  try {
    return await open();
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** @throws CLI_USAGE */
async function certificate({
  tlsCert,
  tlsKey,
}: ServeFlags): Promise<{ readonly cert: string; readonly key: string } | undefined> {
  if (tlsCert === undefined && tlsKey === undefined) return undefined;
  if (tlsCert === undefined || tlsKey === undefined) {
    throw cliError("CLI_USAGE", "TLS needs both: --tls-cert and --tls-key.");
  }
  const read = async (path: string): Promise<string> => {
    try {
      return await readFile(path, "utf8");
    } catch (cause) {
      throw cliError("CLI_USAGE", `The file ${path} of TLS cannot be read.`, { cause });
    }
  };
  return { cert: await read(tlsCert), key: await read(tlsKey) };
}

/**
 * One with all scopes where the local owner never had one, or has no token that counts any more; rotating takes the local owner's tokens
 * back. Whoever revoked the one with all scopes and uses lesser ones gets no new one unasked.
 */
async function firstToken(tokens: TokenRegistry, rotate: boolean): Promise<string | undefined> {
  const now = systemClock.now();
  const made = (await tokens.list()).filter(({ owner }) => owner === LOCAL_OWNER);
  const valid = made.filter(
    ({ revoked_at: revoked, expires_at: end }) =>
      revoked === null && (end === null || new Date(end) > now),
  );
  const hadAll = made.some(({ scopes }) => SCOPES.every((scope) => scopes.includes(scope)));
  if (hadAll && valid.length > 0 && !rotate) return undefined;
  if (rotate) for (const { token_id: id } of valid) await tokens.revoke(id);
  const { token } = await tokens.create({ scopes: SCOPES });
  return token;
}

async function heading(
  server: FacadeServer,
  { local, modelFault }: OpenedFacade,
  { ephemeral, allowUnisolated, allowNetwork }: ServeFlags,
): Promise<readonly string[]> {
  const projects = await local.projects.list();
  const isolation = await local.isolation();
  const commands =
    isolation === "none" && allowUnisolated !== true
      ? " (bubblewrap is missing: commands of plans wait for an answer)"
      : "";
  return [
    `acumen: serving ${count(projects.length, "project")} at ${server.url}`,
    ...projects.map(
      ({ name, path, trusted }) =>
        `  ${printable(`${name} ${path}`)}${trusted ? "" : " (not trusted)"}`,
    ),
    `  isolation ${isolation}${commands}`,
    ...(allowNetwork === true ? ["  commands of plans have the network"] : []),
    ...(modelFault === undefined ? [] : [modelWarning(modelFault)]),
    ...(ephemeral === true ? ["  in memory: nothing is left when it ends"] : []),
  ];
}

function modelWarning(fault: string): string {
  const sentence = printable(fault).replace(/[.:]?$/, ".");
  return `  plans that name no model will fail: ${sentence} Run \`acumen setup\`, or start with --model ID.`;
}

function tokenLines(token: string, { url }: FacadeServer): readonly string[] {
  return [
    `ACUMEN_TOKEN=${token}`,
    "  Shown this once. To try it:",
    `  curl -sS ${url}/acp/v1/dispatch \\`,
    `    -H 'Authorization: Bearer ${token}' \\`,
    `    -d '{"operation":"session.create"}'`,
  ];
}

async function ended(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise<void>((resolve) => {
    // The server alone keeps the process alive; this timer does where it were closed.
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
