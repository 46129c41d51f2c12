import type { ExposedTool } from "../tools/tool-registry.ts";
import type { McpConnectionHandle } from "./connection/mcp-connection-handle.ts";
import type { QuarantinedTool } from "./mcp-status.ts";
import { type Claimant, NameSettlement } from "./name-settlement.ts";
import { QuarantineBook } from "./quarantine-book.ts";
import { allowTools, shortageText, shortReason, type ToolAllowance } from "./tool-allowance.ts";
import type { ServerNames } from "./tools/claim-names.ts";

export interface McpExposedTool extends ExposedTool {
  readonly server: string;
  readonly raw: string;
  readonly identity: string;
}

/** Whose a name is, or was. */
export type NamedTool = Pick<McpExposedTool, "server" | "raw">;

/** What follows from names, quarantine and room; holds until one of them changes. */
interface Survey extends ToolAllowance {
  readonly room: number;
}

/** Which tools of a session's servers a model is given, and by which names. */
export class ExposedTools {
  readonly #handles: ReadonlyMap<string, McpConnectionHandle>;
  readonly #room: () => number;
  readonly #names = new NameSettlement();
  readonly #quarantine = new QuarantineBook();
  /** Every name that a model may have seen. */
  readonly #seen: Map<string, NamedTool>;
  #survey: Survey | undefined;
  /** Those whose names were frozen. */
  #frozen: readonly McpExposedTool[] | undefined;
  #isSettling = false;
  #settleAgain = false;

  /**
   * @param handles by name; may change at any time
   * @param room how many tools of servers a model can be given; may change
   * @param seen names that a model saw in an earlier part of the session
   */
  constructor(
    handles: ReadonlyMap<string, McpConnectionHandle>,
    room: () => number,
    seen: ReadonlyMap<string, NamedTool>,
  ) {
    this.#handles = handles;
    this.#room = room;
    this.#seen = new Map(seen);
  }

  /** @param servers those that are to run, in the order of the configuration */
  follow(servers: readonly string[]): void {
    this.#survey = undefined;
    this.#names.follow(servers);
  }

  /**
   * Those that come first when there are too many come first here. A model may have seen them from now on. The same list as long as
   * nothing changes.
   */
  give(): readonly ExposedTool[] {
    const { given } = this.#current();
    if (this.#frozen === given) return given;
    this.#frozen = given;
    for (const { server, raw, exposedName } of given) {
      this.#names.freeze(server, raw, exposedName);
      this.#seen.set(exposedName, { server, raw });
    }
    return given;
  }

  /** Those that a model is given. */
  of(server: string): readonly McpExposedTool[] {
    return this.#current().byServer.get(server) ?? [];
  }

  conflictsOf(server: string): ServerNames["conflicts"] {
    return this.#names.of(server)?.conflicts ?? [];
  }

  quarantinedOf(server: string): readonly QuarantinedTool[] {
    const { short, room } = this.#current();
    const reason = shortReason(room);
    return [
      ...this.#quarantine.of(server, this.#handles.get(server)?.offered),
      ...[...(short.get(server)?.leftOut ?? [])].map(({ raw: tool }) => ({ tool, reason })),
    ];
  }

  /** Whose tool a model saw by this name, now or earlier. */
  seen(exposedName: string): NamedTool | undefined {
    return this.#seen.get(exposedName);
  }

  /** Undefined: no tool has this name. */
  quarantine(exposedName: string, reason: string): McpExposedTool | undefined {
    const found = this.#current().given.find((tool) => tool.exposedName === exposedName);
    if (found === undefined) return undefined;
    this.#quarantine.add(found, reason);
    this.#survey = undefined;
    this.#tellShortage();
    return found;
  }

  /** Who loses its names ends, who has them again comes back: both may change the names once more. */
  settle(): void {
    this.#settleAgain = true;
    if (this.#isSettling) return;
    this.#isSettling = true;
    while (this.#settleAgain) {
      this.#settleAgain = false;
      this.#survey = undefined;
      this.#names.settle((name) => claimantOf(this.#handles.get(name)));
      for (const name of this.#names.rank) this.#carryOut(name);
    }
    this.#survey = undefined;
    this.#isSettling = false;
    this.#tellShortage();
  }

  #carryOut(name: string): void {
    const handle = this.#handles.get(name);
    const rejected = this.#names.of(name)?.rejected;
    if (rejected !== undefined) handle?.reject(rejected);
    else if (handle?.isRejected === true) handle.retry();
  }

  #tellShortage(): void {
    const { short, room } = this.#current();
    for (const [server, handle] of this.#handles) {
      const shortage = short.get(server);
      handle.remark(shortage && shortageText(shortage, room));
    }
  }

  #current(): Survey {
    const room = this.#room();
    if (this.#survey?.room !== room) {
      const all = this.#names.rank.map((server) => [server, this.#usable(server)] as const);
      this.#survey = { ...allowTools(all, room), room };
    }
    return this.#survey;
  }

  /** Whether or not there is room for them. */
  #usable(server: string): readonly McpExposedTool[] {
    const offered = this.#handles.get(server)?.offered;
    const exposed = this.#names.of(server)?.exposed;
    if (offered === undefined || exposed === undefined) return [];
    return [...new Set(offered.names)].flatMap((raw) => {
      const exposedName = exposed.get(raw);
      const found = offered.get(raw);
      if (exposedName === undefined || found === undefined) return [];
      if (this.#quarantine.has(server, raw, found.identity)) return [];
      return [{ exposedName, server, raw, ...found }];
    });
  }
}

function claimantOf(handle: McpConnectionHandle | undefined): Claimant | undefined {
  const tools = handle?.claimed?.names;
  const onConflict = handle?.server.definition?.onConflict;
  return tools === undefined || onConflict === undefined ? undefined : { tools, onConflict };
}
