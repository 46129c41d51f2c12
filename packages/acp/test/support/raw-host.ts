import type { AnyMessage } from "@agentclientprotocol/sdk";
import { type BenchServer, benchServer, type BenchServerOptions } from "./bench-server.ts";
import { RecordedWire } from "./recorded-wire.ts";

export interface Answer {
  readonly id: unknown;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

export interface RawHost
  extends AsyncDisposable, Pick<BenchServer, "agent" | "cwd" | "home" | "model"> {
  /** Every message of the agent, in the order of the wire. */
  readonly sent: readonly AnyMessage[];
  readonly faults: readonly string[];
  /** Sends any value as a message. */
  write(message: unknown): Promise<void>;
  /** Sends a request as it is and waits for its answer. */
  ask(method: string, params?: unknown): Promise<Answer>;
  /** Answers without an id, in order. */
  readonly anonymous: readonly Answer[];
}

/** A host without a library: it can say what no library lets it say. */
export async function rawHost(options: BenchServerOptions): Promise<RawHost> {
  const { server, agent, model, cwd, home, end, remove } = await benchServer(options);
  const wire = new RecordedWire();
  const connection = server.connect(wire.agentSide);
  const writer = wire.hostSide.writable.getWriter();
  const waiting = new Map<unknown, (answer: Answer) => void>();
  const anonymous: Answer[] = [];
  const read = async (): Promise<void> => {
    for await (const message of wire.hostSide.readable) {
      if ("method" in message) continue;
      const answer = message as Answer;
      if (answer.id === null) anonymous.push(answer);
      else waiting.get(answer.id)?.(answer);
    }
  };
  void read().catch(() => undefined);
  let lastId = 0;
  const write = (message: unknown): Promise<void> => writer.write(message as AnyMessage);
  return {
    agent,
    model,
    cwd,
    home,
    sent: wire.sent,
    faults: wire.faults,
    anonymous,
    write,
    ask: async (method, params) => {
      lastId += 1;
      const id = `r${lastId}`;
      const answered = new Promise<Answer>((resolve) => {
        waiting.set(id, resolve);
      });
      await write({ jsonrpc: "2.0", id, method, ...(params !== undefined && { params }) });
      return answered;
    },
    [Symbol.asyncDispose]: async () => {
      connection.close();
      await end();
      await remove();
    },
  };
}
