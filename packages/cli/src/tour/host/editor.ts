import { type ChildProcess, spawn } from "node:child_process";
import { Readable, Writable } from "node:stream";
import {
  client,
  type ClientConnection,
  type ClientContext,
  ndJsonStream,
  type RequestPermissionRequest,
  type SessionUpdate,
} from "@agentclientprotocol/sdk";
import { cliError } from "../../errors.ts";
import { packageVersion } from "../../version.ts";
import type { PracticePlace } from "../practice/practice-place.ts";
import { scriptedModel } from "../practice/practice-place.ts";
import type { Stage } from "../stage.ts";
import { keepTail, type TextTail } from "../text-tail.ts";

/** More than closing takes; then the agent is killed. */
const GRACE_MS = 4_000;

export interface EditorEvents {
  update(update: SessionUpdate): void;
  /** The editor allows once whatever it is asked. */
  permission(request: RequestPermissionRequest): void;
}

/** The host's side of the protocol, with `acumen acp` as a child process. */
export class Editor {
  readonly pid: number;
  readonly #child: ChildProcess;
  readonly #connection: ClientConnection;
  readonly #errors: TextTail;
  readonly #exited: Promise<number | null>;

  private constructor(child: ChildProcess, connection: ClientConnection, errors: TextTail) {
    this.pid = child.pid ?? 0;
    this.#child = child;
    this.#connection = connection;
    this.#errors = errors;
    this.#exited = new Promise((resolve) => child.once("close", (code) => resolve(code)));
  }

  /** @throws CLI_TOUR_FAILED when the agent does not greet back; the signal's reason */
  static async start(
    { acumenCommand, signal }: Stage,
    { repository, env }: PracticePlace,
    events: EditorEvents,
  ): Promise<Editor> {
    const { command, args } = acumenCommand;
    const own = ["acp", "--model", scriptedModel("drive-from-an-editor"), "--mode", "safe"];
    const child = spawn(command, [...args, ...own], { cwd: repository, env, stdio: "pipe" });
    child.on("error", () => undefined);
    child.stdin.on("error", () => undefined);
    const errors = keepTail(child.stderr);
    const connection = client({ name: "acumen-tour" })
      .onNotification("session/update", ({ params }) => events.update(params.update))
      .onRequest("session/request_permission", ({ params }) => {
        events.permission(params);
        return { outcome: { outcome: "selected", optionId: "allow_once" } };
      })
      .connect(
        ndJsonStream(
          Writable.toWeb(child.stdin),
          Readable.toWeb(child.stdout) as unknown as ReadableStream<Uint8Array>,
        ),
      );
    const editor = new Editor(child, connection, errors);
    const end = (): void => connection.close();
    signal?.addEventListener("abort", end, { once: true });
    try {
      await editor.ask((agent) =>
        agent.request("initialize", {
          protocolVersion: 1,
          clientInfo: { name: "acumen-tour", version: packageVersion() },
        }),
      );
      return editor;
    } catch (error) {
      await editor.close();
      signal?.throwIfAborted();
      throw error;
    }
  }

  get agent(): ClientContext {
    return this.#connection.agent;
  }

  /** @throws CLI_TOUR_FAILED with the last words of the agent */
  async ask<T>(work: (agent: ClientContext) => Promise<T>): Promise<T> {
    try {
      return await work(this.agent);
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : String(cause);
      const said = this.#errors.lastLine();
      const words = said === "" ? reason : `${reason} (${said})`;
      throw cliError("CLI_TOUR_FAILED", `acumen acp did not answer well: ${words}`, { cause });
    }
  }

  /** Closes its input, as editors do, and waits for its end. @returns its exit code; null after a signal */
  async close(): Promise<number | null> {
    this.#child.stdin?.end();
    const timer = setTimeout(() => this.#child.kill("SIGKILL"), GRACE_MS);
    try {
      return await this.#exited;
    } finally {
      clearTimeout(timer);
      this.#connection.close();
    }
  }
}
