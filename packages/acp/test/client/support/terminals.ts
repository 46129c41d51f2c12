import { RequestError, type ClientApp } from "@agentclientprotocol/sdk";
import { type ChildProcess, spawn } from "node:child_process";

interface Terminal {
  readonly child: ChildProcess;
  readonly exited: Promise<{ exitCode: number | null; signal: string | null }>;
  exit?: { exitCode: number | null; signal: string | null };
  output: Buffer;
  truncated: boolean;
}

/** Real processes, as an editor shows them. */
export class Terminals {
  readonly #open = new Map<string, Terminal>();
  readonly seen: string[] = [];
  #count = 0;

  /** Ids of what was not released. */
  get open(): readonly string[] {
    return [...this.#open.keys()];
  }

  serves(host: ClientApp): ClientApp {
    return host
      .onRequest("terminal/create", ({ params }) => {
        this.seen.push("create");
        const { command, args = [], env = [], cwd, outputByteLimit } = params;
        const id = `term_${(this.#count += 1)}`;
        const child = spawn(command, args, {
          cwd: cwd ?? "/",
          env: Object.fromEntries(env.map(({ name, value }) => [name, value])),
          detached: true,
          stdio: ["ignore", "pipe", "pipe"],
        });
        const exited = new Promise<{ exitCode: number | null; signal: string | null }>((resolve) =>
          child.once("close", (exitCode, signal) => resolve({ exitCode, signal })),
        );
        const terminal: Terminal = { child, exited, output: Buffer.alloc(0), truncated: false };
        void exited.then((exit) => (terminal.exit = exit));
        for (const stream of [child.stdout, child.stderr]) {
          stream?.on("data", (chunk: Buffer) => {
            const all = Buffer.concat([terminal.output, chunk]);
            const limit = outputByteLimit ?? Number.POSITIVE_INFINITY;
            terminal.truncated ||= all.length > limit;
            terminal.output = all.length > limit ? all.subarray(-limit) : all;
          });
        }
        this.#open.set(id, terminal);
        return { terminalId: id };
      })
      .onRequest("terminal/wait_for_exit", ({ params }) => this.#of("wait", params).exited)
      .onRequest("terminal/output", ({ params }) => {
        const { output, truncated, exit } = this.#of("output", params);
        return {
          output: output.toString("utf8"),
          truncated,
          ...(exit !== undefined && { exitStatus: exit }),
        };
      })
      .onRequest("terminal/kill", ({ params }) => {
        this.#kill(this.#of("kill", params));
        return {};
      })
      .onRequest("terminal/release", ({ params }) => {
        this.#kill(this.#of("release", params));
        this.#open.delete(params.terminalId);
        return {};
      });
  }

  #of(what: string, { terminalId }: { readonly terminalId: string }): Terminal {
    this.seen.push(what);
    const terminal = this.#open.get(terminalId);
    if (terminal === undefined) throw RequestError.internalError({}, "Unknown terminal");
    return terminal;
  }

  #kill({ child, exit }: Terminal): void {
    if (exit !== undefined || child.pid === undefined) return;
    try {
      process.kill(-child.pid, "SIGKILL");
    } catch {
      // It ended just now.
    }
  }
}
