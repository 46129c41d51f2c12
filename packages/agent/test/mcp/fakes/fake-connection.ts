import { abortError } from "@acumen/core";
import type {
  CallAnswer,
  CallOptions,
  ConnectionFailure,
  ListAnswer,
  McpConnection,
} from "../../../src/mcp/connection/mcp-connection.ts";

/** A connection whose faults a test provokes; it answers every call with its name, and `hang` never. */
export class FakeConnection implements McpConnection {
  readonly transport = "stdio";
  readonly protocolVersion = "2025-06-18";
  readonly instructions?: string;
  readonly called: {
    readonly name: string;
    readonly args: unknown;
    readonly options: CallOptions;
  }[] = [];
  tools: readonly Readonly<Record<string, unknown>>[] = [];
  /** Instead of its tools. */
  listAnswer: (() => Promise<ListAnswer>) | undefined;
  lists = 0;
  closed = 0;
  /** What closing waits for. */
  closing: Promise<void> = Promise.resolve();
  #changed: () => void = () => undefined;
  #died: (failure: ConnectionFailure) => void = () => undefined;

  constructor(tools: readonly string[] = [], instructions?: string) {
    this.tools = tools.map(listedTool);
    if (instructions !== undefined) this.instructions = instructions;
  }

  listTools(signal: AbortSignal): Promise<ListAnswer> {
    this.lists += 1;
    if (signal.aborted) return Promise.reject(abortError(signal));
    return this.listAnswer?.() ?? Promise.resolve({ ok: true, tools: this.tools });
  }

  callTool(
    name: string,
    args: Readonly<Record<string, unknown>>,
    options: CallOptions,
  ): Promise<CallAnswer> {
    this.called.push({ name, args, options });
    if (name !== "hang") {
      return Promise.resolve({ ok: true, result: { content: [{ type: "text", text: name }] } });
    }
    return new Promise((_resolve, reject) => {
      options.signal.addEventListener("abort", () => reject(abortError(options.signal)));
    });
  }

  onToolsChanged(listener: () => void): void {
    this.#changed = listener;
  }

  onClosed(listener: (failure: ConnectionFailure) => void): void {
    this.#died = listener;
  }

  async close(): Promise<void> {
    this.closed += 1;
    await this.closing;
  }

  /** It has other tools now, and says so. */
  change(tools: readonly (string | Readonly<Record<string, unknown>>)[]): void {
    this.tools = tools.map((tool) => (typeof tool === "string" ? listedTool(tool) : tool));
    this.#changed();
  }

  die(failure: Partial<ConnectionFailure> = {}): void {
    this.#died({ kind: "exited", message: 'The MCP server "s" exited with code 3.', ...failure });
  }
}

/** A tool as a server lists it. */
function listedTool(name: string): Readonly<Record<string, unknown>> {
  return { name, description: `Does ${name}.`, inputSchema: { type: "object", properties: {} } };
}
