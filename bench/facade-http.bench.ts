import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { silentLogger, systemClock } from "@acumen/core";
import {
  AcpEventQueue,
  AcpLocalFacade,
  MemoryFacadeStore,
  SCOPES,
  startFacadeServer,
  TokenRegistry,
} from "@acumen/facade";
import { atLeast, type BenchResult, figure, summarise } from "./bench-result.ts";

const ROUNDS = 15;
const CALLS = 10_000;
const REQUESTS = 3_000;
const CONNECTIONS = 32;

/** How many reads a facade answers in a second: in process, and over HTTP on the loopback address. */
export async function run(): Promise<BenchResult[]> {
  const folder = await mkdtemp(join(tmpdir(), "acumen-bench-"));
  const store = new MemoryFacadeStore();
  const queue = new AcpEventQueue({ store });
  const facade = new AcpLocalFacade({
    store,
    projects: [folder],
    home: join(folder, "home"),
    services: { event_queue: queue },
  });
  const tokens = new TokenRegistry(store, systemClock);
  const { token } = await tokens.create({ scopes: SCOPES });
  const made = await facade.dispatch({ operation: "session.create" });
  const read = { operation: "session.get", params: { session_id: made.data["session_id"] } };
  const server = await startFacadeServer({
    facade,
    queue,
    tokens,
    store,
    host: "127.0.0.1",
    port: 0,
    clock: systemClock,
    logger: silentLogger,
  });
  const body = JSON.stringify(read);
  const connections = await Promise.all(
    Array.from({ length: CONNECTIONS }, () => Connection.open(server.port, token, body)),
  );
  try {
    const local = await rates(CALLS, async () => {
      for (let call = 0; call < CALLS; call += 1) await checked(facade, read);
    });
    const remote = await rates(REQUESTS, async () => {
      let left = REQUESTS;
      const work = async (connection: Connection): Promise<void> => {
        while (left > 0) {
          left -= 1;
          await connection.send();
        }
      };
      await Promise.all(connections.map(work));
    });
    return [
      atLeast(
        100_000,
        figure(
          "facade, a read in process",
          "per s",
          local,
          `session.get, ${CALLS} calls one after the other; checked params and output, envelope and timing`,
        ),
      ),
      atLeast(
        4_000,
        figure(
          "facade, a read over HTTP on loopback",
          "per s",
          remote,
          `${REQUESTS} requests over ${CONNECTIONS} connections; a lean client shares the process and its core`,
        ),
      ),
    ];
  } finally {
    for (const connection of connections) connection.close();
    await server.close();
    await queue.close();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Per second, over rounds after two that warm up. */
async function rates(count: number, round: () => Promise<void>) {
  const found: number[] = [];
  for (let index = 0; index < ROUNDS + 2; index += 1) {
    const started = performance.now();
    await round();
    if (index >= 2) found.push(count / ((performance.now() - started) / 1_000));
  }
  return summarise(found);
}

async function checked(
  facade: AcpLocalFacade,
  read: Parameters<AcpLocalFacade["dispatch"]>[0],
): Promise<void> {
  const { status } = await facade.dispatch(read);
  if (status !== "ok") throw new Error("The read failed.");
}

/** A client as lean as can be, so that the server is measured: one connection, one request after the other. */
class Connection {
  readonly #socket: Socket;
  readonly #request: string;
  #answered: (failure?: Error) => void = () => undefined;
  #received = "";

  private constructor(socket: Socket, request: string) {
    this.#socket = socket;
    this.#request = request;
    socket.setEncoding("latin1");
    socket.on("data", (text: string) => this.#take(text));
    socket.on("error", (error) => this.#answered(error));
  }

  static async open(port: number, token: string, body: string): Promise<Connection> {
    const socket = connect(port, "127.0.0.1");
    socket.setNoDelay(true);
    await once(socket, "connect");
    const head = [
      "POST /acp/v1/dispatch HTTP/1.1",
      "host: 127.0.0.1",
      `authorization: Bearer ${token}`,
      "content-type: application/json",
      `content-length: ${Buffer.byteLength(body)}`,
    ];
    return new Connection(socket, `${head.join("\r\n")}\r\n\r\n${body}`);
  }

  send(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#answered = (failure) => (failure === undefined ? resolve() : reject(failure));
      this.#socket.write(this.#request);
    });
  }

  close(): void {
    this.#socket.destroy();
  }

  #take(text: string): void {
    this.#received += text;
    const end = this.#received.indexOf("\r\n\r\n");
    if (end < 0) return;
    const length = Number(/content-length: (\d+)/i.exec(this.#received)?.[1]);
    if (this.#received.length < end + 4 + length) return;
    const isGood = this.#received.startsWith("HTTP/1.1 200 ");
    this.#received = "";
    this.#answered(isGood ? undefined : new Error("The request failed."));
  }
}
