import type { ExposedTool } from "../tools/tool-registry.ts";
import type { McpConnectionHandle } from "./connection/mcp-connection-handle.ts";
import type { QuarantinedTool } from "./mcp-status.ts";
import { type Claimant, NameSettlement } from "./name-settlement.ts";
import { QuarantineBook } from "./quarantine-book.ts";
import type { ServerNames } from "./tools/claim-names.ts";

export interface McpExposedTool extends ExposedTool {
  readonly server: string;
  readonly raw: string;
  readonly identity: string;
}

/** Which tools of a session's servers a model is given, and by which names. */
export class ExposedTools {
  readonly #handles: ReadonlyMap<string, McpConnectionHandle>;
  readonly #names = new NameSettlement();
  readonly #quarantine = new QuarantineBook();
  #isSettling = false;
  #settleAgain = false;

  /** @param handles by name; may change at any time */
  constructor(handles: ReadonlyMap<string, McpConnectionHandle>) {
    this.#handles = handles;
  }

  /** @param servers those that are to run, in the order of the configuration */
  follow(servers: readonly string[]): void {
    this.#names.follow(servers);
  }

  /** Those that come first when there are too many come first here. A model may have seen them from now on. */
  give(): readonly ExposedTool[] {
    const tools = this.#all();
    for (const { server, raw, exposedName } of tools) this.#names.freeze(server, raw, exposedName);
    return tools;
  }

  of(server: string): readonly McpExposedTool[] {
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

  conflictsOf(server: string): ServerNames["conflicts"] {
    return this.#names.of(server)?.conflicts ?? [];
  }

  quarantinedOf(server: string): readonly QuarantinedTool[] {
    return this.#quarantine.of(server, this.#handles.get(server)?.offered);
  }

  /** Undefined: no tool has this name. */
  quarantine(exposedName: string, reason: string): McpExposedTool | undefined {
    const found = this.#all().find((tool) => tool.exposedName === exposedName);
    if (found !== undefined) this.#quarantine.add(found, reason);
    return found;
  }

  /** Who loses its names ends, who has them again comes back: both may change the names once more. */
  settle(): void {
    this.#settleAgain = true;
    if (this.#isSettling) return;
    this.#isSettling = true;
    while (this.#settleAgain) {
      this.#settleAgain = false;
      this.#names.settle((name) => claimantOf(this.#handles.get(name)));
      for (const name of this.#names.rank) this.#carryOut(name);
    }
    this.#isSettling = false;
  }

  #carryOut(name: string): void {
    const handle = this.#handles.get(name);
    const rejected = this.#names.of(name)?.rejected;
    if (rejected !== undefined) handle?.reject(rejected);
    else if (handle?.isRejected === true) handle.retry();
  }

  #all(): readonly McpExposedTool[] {
    return this.#names.rank.flatMap((server) => this.of(server));
  }
}

function claimantOf(handle: McpConnectionHandle | undefined): Claimant | undefined {
  const tools = handle?.claimed?.names;
  const onConflict = handle?.server.definition?.onConflict;
  return tools === undefined || onConflict === undefined ? undefined : { tools, onConflict };
}
