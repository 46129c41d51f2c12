import type { ConflictPolicy } from "./config/server-definition.ts";
import {
  claimNames,
  type FrozenNames,
  type ServerClaim,
  type ServerNames,
} from "./tools/claim-names.ts";

/** What a server wants names for. */
export interface Claimant {
  readonly onConflict: ConflictPolicy;
  /** Raw names in the order of the list, also those that are there twice. */
  readonly tools: readonly string[];
}

/**
 * Who has which name in one session, from its first to its last list of tools. Servers that are there at the start come in the
 * order of the configuration, whoever connects first; later ones come behind them; what a known server adds comes behind all.
 */
export class NameSettlement {
  /** Servers that are to run. */
  #rank: readonly string[] = [];
  /** Of servers that were taken: what they came with. */
  readonly #first = new Map<string, ReadonlySet<string>>();
  /** Server, raw name, and the name that a model may have seen. */
  readonly #frozen = new Map<string, Map<string, string>>();
  #names: ReadonlyMap<string, ServerNames> = new Map();

  get rank(): readonly string[] {
    return this.#rank;
  }

  /** @param servers those that are to run, in the order of the configuration; the others give their names back */
  follow(servers: readonly string[]): void {
    const stay = new Set(servers);
    const old = this.#rank.filter((server) => stay.has(server));
    const known = new Set(old);
    this.#rank = [...old, ...servers.filter((server) => !known.has(server))];
    for (const server of [...this.#first.keys(), ...this.#frozen.keys()]) {
      if (!stay.has(server)) this.#forget(server);
    }
  }

  /** @param claimant undefined: the server claims nothing now, and keeps what it had */
  settle(claimant: (server: string) => Claimant | undefined): void {
    const claimants = this.#rank.flatMap((server) => {
      const found = claimant(server);
      return found === undefined ? [] : [{ server, ...found }];
    });
    const claims = claimants.map((one): ServerClaim => {
      const first = this.#first.get(one.server);
      const isFirst = (raw: string): boolean => first?.has(raw) ?? true;
      return {
        ...one,
        tools: one.tools.filter(isFirst),
        laterTools: one.tools.filter((raw) => !isFirst(raw)),
      };
    });
    this.#claim(claims);
    for (const { server, tools } of claims) this.#keep(server, tools);
  }

  /** Undefined: it claims nothing. */
  of(server: string): ServerNames | undefined {
    return this.#names.get(server);
  }

  /** A model may have seen it: as long as the server is to run, the tool has this name. */
  freeze(server: string, raw: string, exposed: string): void {
    const names = this.#frozen.get(server) ?? new Map<string, string>();
    names.set(raw, exposed);
    this.#frozen.set(server, names);
  }

  /**
   * A server that connects for the first time goes before all that rank behind it, whatever was seen of them; one that gets no
   * names takes none away.
   */
  #claim(claims: readonly ServerClaim[]): void {
    let taking = claims.filter(({ server }) => !this.#first.has(server));
    for (;;) {
      const taken = taking.flatMap((claim) => this.#takenBy(claim));
      const frozen = without(this.#frozen, taken);
      this.#names = claimNames(claims, frozen);
      const getting = taking.filter(({ server }) => !this.#isRejected(server));
      if (getting.length === taking.length) {
        for (const [server, raw] of taken) this.#frozen.get(server)?.delete(raw);
        return;
      }
      taking = getting;
    }
  }

  /** Names behind it that it claims: server and raw name. */
  #takenBy({ server, tools }: ServerClaim): readonly (readonly [string, string])[] {
    const wanted = new Set(tools.map((raw) => raw.toLowerCase()));
    const behind = this.#rank.slice(this.#rank.indexOf(server) + 1);
    return behind.flatMap((other) =>
      [...(this.#frozen.get(other) ?? [])].flatMap(([raw, exposed]) => {
        const clashes = wanted.has(raw.toLowerCase()) || wanted.has(exposed.toLowerCase());
        return clashes ? [[other, raw] as const] : [];
      }),
    );
  }

  #isRejected(server: string): boolean {
    return this.#names.get(server)?.rejected !== undefined;
  }

  #keep(server: string, tools: readonly string[]): void {
    // When it comes back, it comes with everything that it has then.
    if (this.#isRejected(server)) this.#forget(server);
    else this.#first.set(server, new Set(tools));
  }

  #forget(server: string): void {
    this.#first.delete(server);
    this.#frozen.delete(server);
  }
}

function without(
  frozen: FrozenNames,
  taken: readonly (readonly [string, string])[],
): Map<string, Map<string, string>> {
  const rest = new Map([...frozen].map(([server, names]) => [server, new Map(names)]));
  for (const [server, raw] of taken) rest.get(server)?.delete(raw);
  return rest;
}
