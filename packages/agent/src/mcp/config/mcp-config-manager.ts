import { join, resolve } from "node:path";
import { ensureFolder, isJsonObject, withFileLock } from "@acumen/core";
import type { McpConfigs, McpHost } from "../../agent/agent-options.ts";
import { agentError } from "../../errors.ts";
import { visibleLine } from "../../text/visible-text.ts";
import type { WorkspaceTrust } from "../../trust/workspace-trust.ts";
import { type ChoiceChange, ChoiceEditor } from "./choice-editor.ts";
import { invalidConfig, openConfigFile } from "./config-file-edit.ts";
import { ConfigSource } from "./config-source.ts";
import { withoutProperty, withProperty } from "./json-splice.ts";
import { type McpFile, parseMcpFile, readMcpFile, SERVERS_KEY } from "./mcp-file.ts";
import { parseServerDefinition } from "./parse-server-definition.ts";
import { resolveServer } from "./resolve-server.ts";
import type { McpConfigSource, ResolvedMcpServer } from "./resolved-config.ts";
import { isServerName, nameFault } from "./server-name.ts";
import { choicePath } from "./workspace-choice.ts";

export interface McpConfigManagerOptions {
  /** `$ACUMEN_HOME`, absolute. */
  readonly home: string;
  /** Variables of definitions are taken from here. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly trust: WorkspaceTrust;
}

/** A server as `mcp.json` defines it, whatever a workspace chooses. */
export type DefinedMcpServer = Omit<ResolvedMcpServer, "enabled" | "disabledReason" | "missing">;

export interface AddedMcpServer {
  /** Absolute. */
  readonly file: string;
  /** Another definition of this name stood there. */
  readonly replaced: boolean;
  /** Group or others could read the file; now that a value stands in it, they cannot. */
  readonly closed: boolean;
  /** A variable that it needs is not set here: with its name, the place and the remedy. */
  readonly fault?: string;
}

export interface EnabledMcpServer extends ChoiceChange {
  /** Nothing on this machine defines it. */
  readonly missing: boolean;
}

export interface RemovedMcpServer {
  /** A definition was removed from `mcp.json`. */
  readonly removed: boolean;
  /** What became of the workspace's choice, when a workspace was named. */
  readonly choice?: ChoiceChange;
}

/** Which MCP servers this machine defines and its workspaces switch on. Loading never writes; edits leave comments and unknown keys. */
export class McpConfigManager implements McpConfigs {
  readonly #options: McpConfigManagerOptions;
  readonly #file: string;
  readonly #choice: ChoiceEditor;

  constructor(options: McpConfigManagerOptions) {
    this.#options = options;
    this.#file = join(options.home, "mcp.json");
    this.#choice = new ChoiceEditor(options);
  }

  /** @param workspace its absolute real path */
  sourceFor(workspace: { readonly cwd: string }, host?: McpHost): McpConfigSource {
    const { home } = this.#options;
    return new ConfigSource({
      ...this.#options,
      cwd: workspace.cwd,
      machineFile: this.#file,
      trustFile: join(home, "trust.json"),
      ...(host !== undefined && { host }),
    });
  }

  /** Absolute paths, also of files that do not exist. */
  files(cwd: string): { readonly machine: string; readonly workspace: string } {
    return { machine: this.#file, workspace: choicePath(resolve(cwd)) };
  }

  /** In the order of the file. Never throws for what it says. */
  async definitions(): Promise<{
    readonly servers: readonly DefinedMcpServer[];
    /** Why nothing of the file counts, with line and column. */
    readonly problems: readonly string[];
  }> {
    const { servers, fault } = await readMcpFile(this.#file);
    const { environment } = this.#options;
    const place = { source: "machine", key: SERVERS_KEY, file: this.#file } as const;
    return {
      servers: servers.map(([name, raw]) =>
        resolveServer(name, raw, place, { environment, expand: true }),
      ),
      problems: fault === undefined ? [] : [fault.message],
    };
  }

  /**
   * Defines a server; it is not enabled anywhere by this.
   * @param raw as it is to stand in the file, variables included
   * @param options.force replaces the definition of this name, and nothing else
   * @throws AGENT_MCP_SERVER_EXISTS; AGENT_MCP_CONFIG_INVALID for an unusable name, definition or file; CORE_FILE_NOT_WRITABLE,
   * CORE_LOCK_TIMEOUT
   */
  async add(
    name: string,
    raw: Readonly<Record<string, unknown>>,
    options: { readonly force?: boolean } = {},
  ): Promise<AddedMcpServer> {
    const { environment, home } = this.#options;
    refuseBadName(name);
    const parsed = parseServerDefinition(raw, { environment, expand: true });
    if (!parsed.ok && !parsed.unset) {
      throw agentError(
        "AGENT_MCP_CONFIG_INVALID",
        `Nothing was changed. ${name}: ${parsed.fault}`,
        {
          details: { server: name },
        },
      );
    }
    await ensureFolder(home, { mode: 0o700 });
    const done = await withFileLock(this.#file, async () => {
      const file = await openConfigFile(this.#file);
      const exists = namesOf(this.#usable(file.text)).has(name);
      if (exists && options.force !== true) throw this.#exists(name);
      const closed = file.open && holdsValue(raw);
      await file.write(withDefinition(file.text, name, raw), { closed });
      return { replaced: exists, closed };
    });
    return { file: this.#file, ...done, ...(!parsed.ok && { fault: parsed.fault }) };
  }

  /**
   * Removes a definition, and the choice of one workspace.
   * @throws AGENT_MCP_SERVER_UNKNOWN when it stands nowhere; AGENT_MCP_CONFIG_INVALID, AGENT_WORKSPACE_INVALID,
   * CORE_FILE_NOT_WRITABLE, CORE_LOCK_TIMEOUT
   */
  async remove(name: string, cwd?: string): Promise<RemovedMcpServer> {
    const before = await readMcpFile(this.#file);
    if (before.fault !== undefined) throw invalidConfig(this.#file, before.fault);
    const defined = namesOf(before).has(name);
    const choice = cwd === undefined ? undefined : await this.#choice.disable(cwd, name);
    if (!defined && choice?.changed !== true) throw this.#unknown(name);
    const removed = defined && (await this.#undefine(name));
    return { removed, ...(choice !== undefined && { choice }) };
  }

  /**
   * Switches a server on in a workspace, whether or not it is defined.
   * @throws AGENT_MCP_CONFIG_INVALID for an unusable name or file; AGENT_WORKSPACE_INVALID, AGENT_WORKSPACE_UNTRUSTABLE,
   * AGENT_TRUST_INVALID, CORE_FILE_NOT_WRITABLE, CORE_LOCK_TIMEOUT
   */
  async enable(cwd: string, name: string): Promise<EnabledMcpServer> {
    refuseBadName(name);
    const file = await readMcpFile(this.#file);
    const missing = file.fault === undefined && !namesOf(file).has(name);
    const change = await this.#choice.enable(cwd, name);
    return { ...change, missing };
  }

  /** Switches it off in a workspace; `changed` is false when it was not on. @throws as {@link enable}, but needs no trust */
  disable(cwd: string, name: string): Promise<ChoiceChange> {
    return this.#choice.disable(cwd, name);
  }

  async #undefine(name: string): Promise<boolean> {
    return withFileLock(this.#file, async () => {
      const file = await openConfigFile(this.#file);
      this.#usable(file.text);
      return (await file.write(withoutProperty(file.text, [SERVERS_KEY], name))) !== undefined;
    });
  }

  #usable(text: string): McpFile {
    const file = parseMcpFile(this.#file, text);
    if (file.fault !== undefined) throw invalidConfig(this.#file, file.fault);
    return file;
  }

  #exists(name: string): Error {
    return agentError(
      "AGENT_MCP_SERVER_EXISTS",
      `${name} is defined in ${this.#file} already. Choose another name, or replace it (--force).`,
      { details: { server: name, path: this.#file } },
    );
  }

  #unknown(name: string): Error {
    return agentError(
      "AGENT_MCP_SERVER_UNKNOWN",
      `${visibleLine(name)} is not defined in ${this.#file}. Names are compared exactly.`,
      { details: { server: name, path: this.#file } },
    );
  }
}

function refuseBadName(name: string): void {
  if (isServerName(name)) return;
  const shown = visibleLine(name.slice(0, 80));
  throw agentError(
    "AGENT_MCP_CONFIG_INVALID",
    `Nothing was changed. "${shown}" cannot be the name of a server: ${nameFault(name)}.`,
    { details: { server: name } },
  );
}

function namesOf({ servers }: McpFile): ReadonlySet<string> {
  return new Set(servers.map(([name]) => name));
}

/** A variable or a header whose value stands there itself. */
function holdsValue(raw: Readonly<Record<string, unknown>>): boolean {
  return [raw["env"], raw["headers"]]
    .flatMap((values) => (isJsonObject(values) ? Object.values(values) : []))
    .some((value) => !/\$\{|\{env:/u.test(String(value)));
}

function withDefinition(
  text: string,
  name: string,
  raw: Readonly<Record<string, unknown>>,
): string {
  return (
    withProperty(text, [SERVERS_KEY], name, raw) ??
    withProperty(text, [], SERVERS_KEY, { [name]: raw }) ??
    text
  );
}
