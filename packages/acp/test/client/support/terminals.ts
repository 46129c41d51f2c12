import { type ClientApp, type CreateTerminalRequest, RequestError } from "@agentclientprotocol/sdk";
import { type ChildProcess, spawn } from "node:child_process";

interface Exit {
  readonly exitCode: number | null;
  readonly signal: string | null;
}

interface Terminal {
  readonly child: ChildProcess;
  readonly exited: Promise<Exit>;
  exit?: Exit;
  output: Buffer;
  truncated: boolean;
}

/** Real processes, as an editor shows them. */
export class Terminals {
  readonly #open = new Map<string, Terminal>();
  /** What was asked for, in order. */
  readonly seen: string[] = [];
  #count = 0;

  /** Ids of what was not released. */
  get open(): readonly string[] {
    return [...this.#open.keys()];
  }

  outputOf(id: string): string | undefined {
    return this.#open.get(id)?.output.toString("utf8");
  }

  /** Ends what was not released. */
  end(): void {
    for (const terminal of this.#open.values()) kill(terminal);
  }

  /** @param answers by method, instead of what would be right */
  serves(
    host: ClientApp,
    answers: Readonly<Record<string, (params: object) => unknown>> = {},
  ): ClientApp {
    const right: Readonly<Record<string, (params: never) => unknown>> = {
      "terminal/create": (params: CreateTerminalRequest) => this.create(params),
      "terminal/wait_for_exit": (params: Named) => this.#of("wait", params).exited,
      "terminal/output": (params: Named) => shownOf(this.#of("output", params)),
      "terminal/kill": (params: Named) => kill(this.#of("kill", params)),
      "terminal/release": (params: Named) => {
        kill(this.#of("release", params));
        this.#open.delete(params.terminalId);
        return {};
      },
    };
    for (const [method, answer] of Object.entries({ ...right, ...answers })) {
      host.onRequest(
        method,
        (params: unknown) => params as object,
        ({ params }) => answer(params as never),
      );
    }
    return host;
  }

  create({ command, args = [], env = [], cwd, outputByteLimit }: CreateTerminalRequest): unknown {
    this.seen.push("create");
    const terminalId = `term_${(this.#count += 1)}`;
    const child = spawn(command, args, {
      cwd: cwd ?? "/",
      env: Object.fromEntries(env.map(({ name, value }) => [name, value])),
      detached: true,
      stdio: ["ignore", "pipe", "pipe"],
    });
    const exited = new Promise<Exit>((resolve) =>
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
    this.#open.set(terminalId, terminal);
    return { terminalId };
  }

  #of(what: string, { terminalId }: Named): Terminal {
    this.seen.push(what);
    const terminal = this.#open.get(terminalId);
    if (terminal === undefined) throw RequestError.internalError({}, "Unknown terminal");
    return terminal;
  }
}

interface Named {
  readonly terminalId: string;
}

function shownOf({ output, truncated, exit }: Terminal): unknown {
  return {
    output: output.toString("utf8"),
    truncated,
    ...(exit !== undefined && { exitStatus: exit }),
  };
}

function kill({ child, exit }: Terminal): unknown {
  if (exit !== undefined || child.pid === undefined) return {};
  try {
    process.kill(-child.pid, "SIGKILL");
  } catch {
    // It ended just now.
  }
  return {};
}
