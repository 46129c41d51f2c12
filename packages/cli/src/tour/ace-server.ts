import type { CallToolResult, Client } from "@modelcontextprotocol/client";
import { AcumenError, isJsonObject, throwIfAborted } from "@acumen/core";
import { cliError } from "../errors.ts";
import type { ServerCommand } from "./server-command.ts";
import { keepTail, type TextTail } from "./text-tail.ts";

export interface AceServerOptions {
  readonly command: ServerCommand;
  /** The folder outside of which the server neither reads nor writes skillbooks. */
  readonly root: string;
  /** Protocol revision to insist on; absent: the `initialize` handshake, as most hosts of today do it. */
  readonly revision?: string;
  readonly signal?: AbortSignal;
}

export interface CallOptions {
  readonly onProgress?: (done: number) => void;
}

/** The model that needs no key and no network. */
const TOUR_MODEL = "builtin/recall";
const CALL_TIMEOUT_MS = 30_000;

/** A running `ace-mcp` process and the MCP client that speaks to it over stdio. */
export class AceServer {
  readonly pid: number;
  /** `name version` as the server introduced itself. */
  readonly name: string;
  readonly protocol: string;
  readonly #client: Client;
  readonly #signal: AbortSignal | undefined;
  readonly #log: TextTail;

  private constructor(client: Client, pid: number, log: TextTail, signal?: AbortSignal) {
    const { name = "?", version = "?" } = client.getServerVersion() ?? {};
    this.#client = client;
    this.#signal = signal;
    this.#log = log;
    this.pid = pid;
    this.name = `${name} ${version}`;
    this.protocol = client.getNegotiatedProtocolVersion() ?? "?";
  }

  /**
   * Starts the process and shakes hands. The caller ends it with {@link close}, whatever happens.
   * @throws CLI_SERVER_FAILED with the end of the server's log; the signal's reason after an abort.
   */
  static async start(options: AceServerOptions): Promise<AceServer> {
    const { command, root, revision, signal } = options;
    throwIfAborted(signal);
    const [{ Client: McpClient }, { StdioClientTransport }] = await Promise.all([
      import("@modelcontextprotocol/client"),
      import("@modelcontextprotocol/client/stdio"),
    ]);
    const transport = new StdioClientTransport({
      command: command.command,
      args: [...command.args],
      // Only this and the SDK's short list of harmless variables: a person's own ACE_MCP_* settings must not change the tour.
      env: { ACE_MCP_DEFAULT_MODEL: TOUR_MODEL, ACE_MCP_SKILLBOOK_ROOT: root },
      stderr: "pipe",
    });
    const log = keepTail(transport.stderr);
    const client = new McpClient(
      { name: "acumen-tour", version: "1" },
      revision === undefined ? {} : { versionNegotiation: { mode: { pin: revision } } },
    );
    try {
      await client.connect(transport, { timeout: CALL_TIMEOUT_MS, ...(signal && { signal }) });
      const { pid } = transport;
      if (pid === null) throw new Error("the process ended at once");
      return new AceServer(client, pid, log, signal);
    } catch (cause) {
      await client.close().catch(() => undefined);
      throwIfAborted(signal);
      throw serverFailed("ace-mcp did not start", cause, log);
    }
  }

  async toolNames(): Promise<string[]> {
    const { tools } = await this.#guard("tools/list", () => this.#client.listTools());
    return tools.map((tool) => tool.name);
  }

  /** Calls a tool and returns its structured reply. @throws CLI_TOOL_FAILED, CLI_SERVER_FAILED */
  async call(
    name: string,
    args: Readonly<Record<string, unknown>>,
    options: CallOptions = {},
  ): Promise<Readonly<Record<string, unknown>>> {
    const { onProgress } = options;
    const reply = await this.#guard(name, () =>
      this.#client.callTool(
        { name, arguments: { ...args } },
        {
          timeout: CALL_TIMEOUT_MS,
          ...(this.#signal && { signal: this.#signal }),
          ...(onProgress && { onprogress: ({ progress }) => onProgress(progress) }),
        },
      ),
    );
    return contentOf(name, reply);
  }

  /** Ends the process: its stdin closes, then SIGTERM, then SIGKILL, 2 s apart. */
  async close(): Promise<void> {
    await this.#client.close();
  }

  async #guard<T>(what: string, work: () => Promise<T>): Promise<T> {
    throwIfAborted(this.#signal);
    try {
      return await work();
    } catch (cause) {
      throwIfAborted(this.#signal);
      throw AcumenError.isInstance(cause)
        ? cause
        : serverFailed(`${what} got no answer`, cause, this.#log);
    }
  }
}

function contentOf(name: string, reply: CallToolResult): Readonly<Record<string, unknown>> {
  if (reply.isError !== true && isJsonObject(reply.structuredContent)) {
    return reply.structuredContent;
  }
  const text = reply.content.find((block) => block.type === "text")?.text ?? "no text";
  throw cliError("CLI_TOOL_FAILED", `${name} failed: ${text}`, { details: { tool: name } });
}

function serverFailed(what: string, cause: unknown, log: TextTail): AcumenError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  const lastLine = log.lastLine();
  const said = lastLine ? ` Its log ends with: ${lastLine}` : "";
  return cliError("CLI_SERVER_FAILED", `${what} (${reason}).${said}`, { cause });
}
