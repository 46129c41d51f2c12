import { mkdtemp, rm } from "node:fs/promises";
import { Agent, request } from "node:http";
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
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  try {
    const local = await rates(CALLS, async () => {
      for (let call = 0; call < CALLS; call += 1) await checked(facade, read);
    });
    const body = JSON.stringify(read);
    const remote = await rates(REQUESTS, async () => {
      let left = REQUESTS;
      const one = async (): Promise<void> => {
        while (left > 0) {
          left -= 1;
          await post(`${server.url}/acp/v1/dispatch`, { agent, token, body });
        }
      };
      await Promise.all(Array.from({ length: CONNECTIONS }, one));
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
          `${REQUESTS} requests over ${CONNECTIONS} connections; the client shares the process and its core`,
        ),
      ),
    ];
  } finally {
    agent.destroy();
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

function post(
  url: string,
  { agent, token, body }: { readonly agent: Agent; readonly token: string; readonly body: string },
): Promise<void> {
  return new Promise((resolve, reject) => {
    const headers = {
      authorization: `Bearer ${token}`,
      "content-type": "application/json",
      "content-length": Buffer.byteLength(body),
    };
    const sent = request(url, { agent, method: "POST", headers }, (response) => {
      response.resume();
      response.on("end", () => {
        if (response.statusCode === 200) resolve();
        else reject(new Error(`status ${String(response.statusCode)}`));
      });
    });
    sent.on("error", reject);
    sent.end(body);
  });
}
