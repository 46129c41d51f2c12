import { type ChildProcess, type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import { createInterface } from "node:readline";

export type Response = Readonly<Record<string, unknown>>;

export interface LineProcessOptions {
  /** Beside PATH and HOME. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd?: string;
}

export async function ended(child: ChildProcess): Promise<void> {
  await new Promise<void>((resolve) => child.once("exit", () => resolve()));
}

/** JSON-RPC lines without a client library, whose own work is not what is measured. */
export class LineProcess {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #waiting = new Map<number, (response: Response) => void>();
  #lastId = 0;

  /** @param args of Node */
  constructor(args: readonly string[], { env, cwd }: LineProcessOptions) {
    const { PATH = "", HOME = "" } = process.env;
    this.#child = spawn(process.execPath, [...args], {
      env: { PATH, HOME, ...env },
      ...(cwd !== undefined && { cwd }),
    });
    this.#child.stderr.pipe(process.stderr);
    createInterface({ input: this.#child.stdout }).on("line", (line) => {
      const response = JSON.parse(line) as Response;
      this.#waiting.get(Number(response["id"]))?.(response);
    });
  }

  async request(method: string, params: object = {}): Promise<Response> {
    this.#lastId += 1;
    const id = this.#lastId;
    const response = new Promise<Response>((resolve) => this.#waiting.set(id, resolve));
    this.#write({ id, method, params });
    const received = await response;
    this.#waiting.delete(id);
    if (received["error"] === undefined) return received;
    throw new Error(`${method} failed: ${JSON.stringify(received["error"])}`);
  }

  notify(method: string): void {
    this.#write({ method });
  }

  /** Resident memory as Linux tells it; NaN elsewhere. */
  async residentMb(): Promise<number> {
    const status = await readFile(`/proc/${this.#child.pid}/status`, "utf8").catch(() => "");
    return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? Number.NaN) / 1_024;
  }

  async close(): Promise<void> {
    this.#child.stdin.end();
    if (this.#child.exitCode === null) await ended(this.#child);
  }

  #write(message: object): void {
    this.#child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  }
}
