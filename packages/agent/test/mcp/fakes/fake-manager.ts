import { abortError } from "@acumen/core";
import type { McpStatusChange } from "../../../src/mcp/mcp-status.ts";
import { McpRuntimeManager, type McpRuntimeOptions } from "../../../src/mcp/mcp-runtime-manager.ts";
import { createRedactor } from "../../../src/redaction/redactor.ts";
import { ChangingSource } from "../live/changing-source.ts";
import { FakeConnection } from "./fake-connection.ts";

export const NEVER = new AbortController().signal;
export const FAST_RESTARTS = { delaysMs: [5, 5, 5], windowMs: 300_000, healthyMs: 60_000 };

/** A manager whose servers are fakes: those of `fakes` connect, those of `held` when a test lets them, others are not started. */
export class FakeManager implements AsyncDisposable {
  readonly source = new ChangingSource();
  readonly manager: McpRuntimeManager;
  readonly changes: McpStatusChange[] = [];
  /** What a server has when it is started the next time. */
  readonly tools = new Map<string, readonly string[]>();
  readonly instructions = new Map<string, string>();
  /** Started and connected, the newest last. */
  readonly connections = new Map<string, FakeConnection[]>();
  readonly started: string[] = [];
  readonly #held = new Map<string, () => void>();

  constructor(options: Partial<McpRuntimeOptions> = {}) {
    this.manager = new McpRuntimeManager({
      source: this.source,
      cwd: "/",
      environment: {},
      redact: createRedactor(),
      outputFolder: () => Promise.resolve("/nowhere"),
      wait: "settled",
      report: (change) => Promise.resolve(this.changes.push(change)),
      restarts: FAST_RESTARTS,
      pollMs: 10,
      open: async ({ name }, { signal }) => {
        this.started.push(name);
        if (this.#held.has(name)) {
          await new Promise<void>((resolve, reject) => {
            this.#held.set(name, resolve);
            signal.addEventListener("abort", () => reject(abortError(signal)));
          });
        }
        const tools = this.tools.get(name);
        if (tools === undefined) {
          return { ok: false, failure: { kind: "not_started", message: `${name} is no command.` } };
        }
        const connection = new FakeConnection(tools, this.instructions.get(name));
        this.connections.set(name, [...(this.connections.get(name) ?? []), connection]);
        return { ok: true, connection };
      },
      ...options,
    });
  }

  /** Its starts do not end until {@link release}. */
  hold(name: string): void {
    this.#held.set(name, () => undefined);
  }

  release(name: string): void {
    const release = this.#held.get(name);
    this.#held.delete(name);
    release?.();
  }

  async ready(): Promise<void> {
    this.manager.start();
    await this.manager.ready(NEVER);
  }

  connection(name: string): FakeConnection {
    const connection = this.connections.get(name)?.at(-1);
    if (connection === undefined) throw new Error(`${name} is not connected`);
    return connection;
  }

  exposed(): string[] {
    return this.manager.tools().map(({ exposedName }) => exposedName);
  }

  states(): Record<string, string> {
    return Object.fromEntries(this.manager.status().map(({ server, state }) => [server, state]));
  }

  status(name: string) {
    const found = this.manager.status().find(({ server }) => server === name);
    if (found === undefined) throw new Error(`no status of ${name}`);
    return found;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.manager.close();
  }
}
