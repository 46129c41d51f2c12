import { createConnection, createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { startProcess, type TestProcess } from "@acumen/testkit";
import { PEERS } from "./peers.ts";

const SERVERS = `${PEERS}/node_modules/@modelcontextprotocol`;

/** Other people's servers, as definitions of stdio servers. */
export const PEER_SERVERS = {
  everything: { command: process.execPath, args: [`${SERVERS}/server-everything/dist/index.js`] },
  filesystem: (folder: string) => ({
    command: process.execPath,
    args: [`${SERVERS}/server-filesystem/dist/index.js`, folder],
  }),
  memory: (file: string) => ({
    command: process.execPath,
    args: [`${SERVERS}/server-memory/dist/index.js`],
    env: { MEMORY_FILE_PATH: file },
  }),
  /** One that tells in a file what it sees of a call. */
  watched: (kind: "v1" | "v2", log: string) => ({
    command: process.execPath,
    args: [`${PEERS}/watched-server.mjs`, kind],
    env: { LOG: log },
  }),
} as const;

export interface RunningPeer extends AsyncDisposable {
  readonly url: string;
}

/** server-everything on a port of its own. */
export async function startEverything(kind: "streamableHttp" | "sse"): Promise<RunningPeer> {
  const port = await freePort();
  const { command, args } = PEER_SERVERS.everything;
  const server = startProcess({ command, args: [...args, kind] }, { env: { PORT: String(port) } });
  await untilListening(port, server);
  return {
    url: `http://127.0.0.1:${port}/${kind === "sse" ? "sse" : "mcp"}`,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

/** The watched server over HTTP; it speaks the newest protocol too. */
export async function startWatched(log: string): Promise<RunningPeer> {
  const server = startProcess(
    { command: process.execPath, args: [`${PEERS}/watched-server.mjs`, "http"] },
    { env: { LOG: log } },
  );
  await server.waitFor("stdout", "\n", 30_000);
  return {
    url: server.stdout().trim(),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function untilListening(port: number, server: TestProcess): Promise<void> {
  const deadline = performance.now() + 30_000;
  while (!(await answers(port))) {
    if (performance.now() > deadline || server.child.exitCode !== null)
      throw new Error(`The server does not listen:\n${server.stderr()}`);
    await new Promise((resolve) => setTimeout(resolve, 30));
  }
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection({ port, host: "127.0.0.1" });
    socket.on("connect", () => resolve(true)).on("error", () => resolve(false));
    socket.on("connect", () => socket.destroy());
  });
}
