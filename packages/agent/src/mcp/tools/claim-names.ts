import { isReservedToolName, RESERVED_TOOL_NAMES } from "../../tools/reserved-names.ts";
import type { ConflictPolicy } from "../config/server-definition.ts";
import type { NameConflict } from "../mcp-status.ts";
import { cleanServerName } from "./clean-server-text.ts";
import { hashedName, isPlainName, MAX_EXPOSED_NAME_CHARS, qualifiedBase } from "./exposed-name.ts";

/** The tools of one server that want a name. */
export interface ServerClaim {
  readonly server: string;
  readonly onConflict: ConflictPolicy;
  /** Raw names of its first list, in its order, also those that are there twice. */
  readonly tools: readonly string[];
  /** Raw names that came afterwards: they take no name from anybody. */
  readonly laterTools: readonly string[];
}

/** Server, then raw name, then the name that it was exposed under in this session; also of servers that claim nothing now. */
export type FrozenNames = ReadonlyMap<string, ReadonlyMap<string, string>>;

export interface ServerNames {
  /** Raw name to the name for the model. A tool that is not in here is left out. */
  readonly exposed: ReadonlyMap<string, string>;
  readonly conflicts: readonly NameConflict[];
  /** Why the server exposes nothing, with the remedy. */
  readonly rejected?: string;
}

const BUILT_IN = "built-in";
const REJECTED = "rejected";
const MAX_NAMED = 20;
const MAX_NAMED_CHARS = 550;

interface Draft {
  readonly claim: ServerClaim;
  readonly exposed: Map<string, string>;
  readonly conflicts: NameConflict[];
  rejected?: string;
}

interface Wanted {
  readonly draft: Draft;
  readonly raw: string;
  /** Who has the raw name; undefined: this tool. */
  readonly owner: string | undefined;
}

/**
 * Settles which name each tool is called by. Exposed names are unique whatever their case, taken by every provider, never one
 * of a built-in tool, and depend on nothing but the arguments.
 * @param claims in the order of their rank; servers once each
 * @param frozen these stay, whatever the rank of their server: hand in only what a model may have seen
 */
export function claimNames(
  claims: readonly ServerClaim[],
  frozen: FrozenNames = new Map(),
): Map<string, ServerNames> {
  const book = new NameBook(claims, frozen);
  const drafts = claims.map((claim): Draft => ({ claim, exposed: new Map(), conflicts: [] }));
  book.expose(drafts.flatMap((draft) => firstTools(draft, book)));
  const later = drafts.filter(({ rejected }) => rejected === undefined);
  book.expose(later.flatMap((draft) => laterTools(draft, book)));
  return new Map(
    drafts.map(({ claim, exposed, conflicts, rejected }) => [
      claim.server,
      { exposed, conflicts, ...(rejected !== undefined && { rejected }) },
    ]),
  );
}

/** Claims the whole first list, or nothing of it. */
function firstTools(draft: Draft, book: NameBook): Wanted[] {
  const { claim } = draft;
  const owners = ownersOf(claim.tools, claim.server, book);
  const clashes = claim.tools.flatMap((raw, index) => {
    const owner = owners[index];
    return owner === undefined || book.isFrozen(claim.server, raw) ? [] : [{ tool: raw, owner }];
  });
  if (claim.onConflict === "reject" && clashes.length > 0) {
    draft.rejected = rejection(claim.server, clashes);
    draft.conflicts.push(...clashes.map((clash) => ({ ...clash, resolution: REJECTED })));
    return [];
  }
  return wanted(draft, claim.tools, owners, book);
}

/** Each tool for itself: what is there already is not touched. */
function laterTools(draft: Draft, book: NameBook): Wanted[] {
  const { claim } = draft;
  const owners = ownersOf(claim.laterTools, claim.server, book);
  const all = wanted(draft, claim.laterTools, owners, book);
  if (claim.onConflict === "qualify") return all;
  return all.filter(({ raw, owner }) => {
    if (owner === undefined || book.isFrozen(claim.server, raw)) return true;
    draft.conflicts.push({ tool: raw, owner, resolution: REJECTED });
    return false;
  });
}

/** Who has each name already, in the order of the list. */
function ownersOf(
  raws: readonly string[],
  server: string,
  book: NameBook,
): readonly (string | undefined)[] {
  const own = new Map<string, string>();
  return raws.map((raw) => {
    const key = raw.toLowerCase();
    const owner = own.has(key) ? server : book.ownerOf(raw, server);
    if (owner === undefined) own.set(key, raw);
    return owner;
  });
}

/** Takes the raw names that are free; a name that this server has twice is one tool. */
function wanted(
  draft: Draft,
  raws: readonly string[],
  owners: readonly (string | undefined)[],
  book: NameBook,
): Wanted[] {
  const { claim, exposed } = draft;
  const seen = new Set(exposed.keys());
  return raws.flatMap((raw, index) => {
    const owner = owners[index];
    if (seen.has(raw)) {
      draft.conflicts.push({ tool: raw, owner: claim.server, resolution: REJECTED });
      return [];
    }
    seen.add(raw);
    if (owner === undefined) book.own(raw, claim.server);
    return [{ draft, raw, owner }];
  });
}

interface Clash {
  readonly tool: string;
  readonly owner: string;
}

/** Each name once, in the remedy, in the order of the owners before it. */
function rejection(server: string, clashes: readonly Clash[]): string {
  const owners = [...new Set(clashes.map(({ owner }) => owner))];
  const [only] = clashes;
  const said =
    only !== undefined && clashes.length === 1
      ? oneClash(server, only)
      : owners
          .map((owner) => {
            const { length } = clashes.filter((clash) => clash.owner === owner);
            return clashesWith(owner, length, server);
          })
          .join(", ");
  const ordered = owners.flatMap((owner) => clashes.filter((clash) => clash.owner === owner));
  const all = [...new Set(ordered.map(({ tool }) => quoted(tool)))];
  const named = all.slice(0, fitting(all));
  const more = all.length - named.length;
  const rest = more === 0 ? "" : ` and ${more} more that clash`;
  return `None of its tools is used, because of names that are taken: ${said}. Set "onConflict": "qualify" for ${quoted(server)} to call them mcp__<server>__<tool>, or leave them out with "disabledTools": [${named.join(", ")}]${rest}.`;
}

function oneClash(server: string, { tool, owner }: Clash): string {
  if (owner === BUILT_IN) return `${quoted(tool)} is the name of a built-in tool`;
  if (owner === server) return `${quoted(tool)} is there twice in ${quoted(server)} itself`;
  return `${quoted(tool)} belongs to the server ${quoted(owner)}`;
}

function clashesWith(owner: string, count: number, server: string): string {
  const names = `${count} ${count === 1 ? "name" : "names"}`;
  if (owner === BUILT_IN) return `${names} of built-in tools`;
  if (owner === server) return `${names} that ${quoted(server)} has twice itself`;
  return `${names} of the server ${quoted(owner)}`;
}

/** How many names can be listed: a list that is cut somewhere could not be pasted. */
function fitting(names: readonly string[]): number {
  let chars = 0;
  const found = names.findIndex((name, index) => {
    chars += name.length + 2;
    return index >= MAX_NAMED || chars > MAX_NAMED_CHARS;
  });
  return found === -1 ? names.length : found;
}

function quoted(name: string): string {
  return JSON.stringify(cleanServerName(name));
}

/** Who has which raw name, and which exposed names are gone. Names are compared without their case. */
class NameBook {
  readonly #frozen: FrozenNames;
  /** Raw name in lower case to server. */
  readonly #owners = new Map<string, string>();
  readonly #taken = new Set<string>(RESERVED_TOOL_NAMES);

  constructor(claims: readonly ServerClaim[], frozen: FrozenNames) {
    this.#frozen = frozen;
    const servers = new Set([...claims.map(({ server }) => server), ...frozen.keys()]);
    const names = [...servers].flatMap((server) =>
      [...(frozen.get(server) ?? [])].map(([raw, exposed]) => ({ server, raw, exposed })),
    );
    for (const { server, raw, exposed } of names) {
      this.#taken.add(exposed.toLowerCase());
      const kept = exposed === raw;
      if (kept || (!isPlainName(raw) && this.#owners.get(raw.toLowerCase()) === undefined)) {
        this.own(raw, server);
      }
    }
  }

  isFrozen(server: string, raw: string): boolean {
    return this.#frozen.get(server)?.has(raw) === true;
  }

  ownerOf(raw: string, server: string): string | undefined {
    if (isReservedToolName(raw)) return BUILT_IN;
    const owner = this.#owners.get(raw.toLowerCase());
    return owner === server && this.isFrozen(server, raw) ? undefined : owner;
  }

  own(raw: string, server: string): void {
    this.#owners.set(raw.toLowerCase(), server);
  }

  /** Gives each a name. Raw names that can stay go first, then those that clash with nothing when they are qualified. */
  expose(all: readonly Wanted[]): void {
    const mapped: Wanted[] = [];
    for (const entry of all) {
      const { draft, raw, owner } = entry;
      const kept = this.#frozen.get(draft.claim.server)?.get(raw);
      if (kept !== undefined) give(entry, kept);
      else if (owner === undefined && isPlainName(raw) && this.#take(raw)) give(entry, raw);
      else mapped.push(entry);
    }
    const bases = mapped.map(({ draft, raw }) => qualifiedBase(draft.claim.server, raw));
    const groups = new Map<string, number>();
    for (const base of bases) {
      const key = base.toLowerCase();
      groups.set(key, (groups.get(key) ?? 0) + 1);
    }
    const isFree = (base: string): boolean =>
      base.length <= MAX_EXPOSED_NAME_CHARS && groups.get(base.toLowerCase()) === 1;
    const hashed = mapped.filter((entry, index) => {
      const base = bases[index] ?? "";
      if (!isFree(base) || !this.#take(base)) return true;
      give(entry, base);
      return false;
    });
    for (const entry of hashed) {
      const { draft, raw } = entry;
      const name = hashedName(draft.claim.server, raw, (one) => this.#taken.has(one.toLowerCase()));
      this.#take(name);
      give(entry, name);
    }
  }

  /** False: somebody has it. */
  #take(name: string): boolean {
    const key = name.toLowerCase();
    if (this.#taken.has(key)) return false;
    this.#taken.add(key);
    return true;
  }
}

function give({ draft, raw, owner }: Wanted, name: string): void {
  draft.exposed.set(raw, name);
  if (owner !== undefined) draft.conflicts.push({ tool: raw, owner, resolution: name });
}
