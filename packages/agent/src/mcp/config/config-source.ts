import type { McpHost } from "../../agent/agent-options.ts";
import type { WorkspaceTrust } from "../../trust/workspace-trust.ts";
import { stampOf } from "./file-stamp.ts";
import { readMcpFile, SERVERS_KEY } from "./mcp-file.ts";
import { resolveServer, undefinedServer } from "./resolve-server.ts";
import type { McpConfigSource, ResolvedMcpConfig, ResolvedMcpServer } from "./resolved-config.ts";
import { choicePath, type WorkspaceChoice, WorkspaceChoiceReader } from "./workspace-choice.ts";

export interface ConfigSourceOptions {
  /** Absolute. */
  readonly cwd: string;
  readonly home: string;
  /** `mcp.json`, absolute. */
  readonly machineFile: string;
  /** `trust.json`, absolute. */
  readonly trustFile: string;
  readonly trust: WorkspaceTrust;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly host?: McpHost;
}

/**
 * The servers of machine, workspace and host. A server that the host hands over stands for the machine's one of the same name as
 * long as the session lasts.
 */
export class ConfigSource implements McpConfigSource {
  readonly #options: ConfigSourceOptions;
  readonly #choice: WorkspaceChoiceReader;
  readonly #workspaceFile: string;
  /** What the machine's file said when it could be read last. */
  #lastServers: Awaited<ReturnType<typeof readMcpFile>>["servers"] | undefined;

  constructor(options: ConfigSourceOptions) {
    this.#options = options;
    this.#choice = new WorkspaceChoiceReader(options);
    this.#workspaceFile = choicePath(options.cwd);
  }

  async resolve(): Promise<ResolvedMcpConfig> {
    const { machineFile: machine } = this.#options;
    const files = { machine, workspace: this.#workspaceFile };
    const hosted = this.#hosted();
    if (!this.#inherits) return { servers: hosted, files, problems: [] };
    const [file, choice] = await Promise.all([readMcpFile(machine), this.#choice.read()]);
    const { environment } = this.#options;
    if (file.fault === undefined) this.#lastServers = file.servers;
    // Half of an edit must not end what runs.
    const servers = this.#lastServers ?? file.servers;
    const defined = servers.map(([name, raw]) => {
      const place = { source: "machine", key: SERVERS_KEY, file: machine } as const;
      return withChoice(resolveServer(name, raw, place, { environment, expand: true }), choice);
    });
    const names = new Set(defined.map(({ name }) => name));
    const others = choice.names
      .filter((name) => !names.has(name))
      .map((name) => withChoice(undefinedServer(name, file.fault?.message), choice));
    const taken = new Set(hosted.map(({ name }) => name));
    const own = [...defined, ...others].filter(({ name }) => !taken.has(name));
    const problems = file.fault === undefined ? [] : [this.#faultText(file.fault.message)];
    return { servers: [...own, ...hosted], files, problems: [...problems, ...choice.problems] };
  }

  #faultText(message: string): string {
    return this.#lastServers === undefined
      ? message
      : `${message} Until it is mended, what it said before counts.`;
  }

  async stamp(): Promise<string> {
    if (!this.#inherits) return "";
    const { machineFile, trustFile } = this.#options;
    return stampOf([machineFile, this.#workspaceFile, trustFile]);
  }

  get #inherits(): boolean {
    return this.#options.host?.inherit ?? true;
  }

  #hosted(): readonly ResolvedMcpServer[] {
    const { environment, host } = this.#options;
    return Object.entries(host?.servers ?? {}).map(([name, raw]) => {
      const place = { source: "host", key: "servers" } as const;
      const options = { environment, expand: false, onConflict: "qualify" } as const;
      return { ...resolveServer(name, raw, place, options), enabled: true };
    });
  }
}

function withChoice(
  server: Omit<ResolvedMcpServer, "enabled">,
  { names, disabledReason, unusable }: WorkspaceChoice,
): ResolvedMcpServer {
  const enabled = names.includes(server.name);
  const reason = enabled ? disabledReason : unusable;
  return { ...server, enabled, ...(reason !== undefined && { disabledReason: reason }) };
}
