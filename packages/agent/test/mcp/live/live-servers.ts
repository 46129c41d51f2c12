import { type TempFolder, tempFolder } from "@acumen/testkit";
import { readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { expect, vi } from "vitest";
import type { ResolvedMcpServer } from "../../../src/mcp/config/resolved-config.ts";
import type { StdioDefinition } from "../../../src/mcp/config/server-definition.ts";
import { resolvedServer, stdioDefinition } from "./changing-source.ts";

const SERVER = fileURLToPath(new URL("live-server.mjs", import.meta.url));

export interface LiveFacts {
  readonly tools?: readonly unknown[];
  readonly instructions?: string;
  /** Before it greets, ms. */
  readonly startMs?: number;
  readonly crashAtStart?: boolean;
  readonly refuseList?: boolean;
}

/** Real servers over stdio whose tools and faults a test changes while they run. */
export class LiveServers implements AsyncDisposable {
  readonly folder: TempFolder;

  constructor(folder: TempFolder) {
    this.folder = folder;
  }

  /** Writes what the server is like, and gives its definition. */
  async server(
    name: string,
    facts: LiveFacts = {},
    definition: Partial<StdioDefinition> = {},
  ): Promise<ResolvedMcpServer> {
    await this.change(name, facts);
    return resolvedServer(
      name,
      stdioDefinition(process.execPath, [SERVER, this.#file(name)], definition),
    );
  }

  async change(name: string, facts: LiveFacts): Promise<void> {
    await writeFile(this.#file(name), JSON.stringify({ tools: [], ...facts }));
  }

  /** Process ids of its starts, in order. */
  async starts(name: string): Promise<readonly number[]> {
    return (await this.#log(name)).flatMap((line) =>
      line.startsWith("start ") ? [Number(line.slice(6))] : [],
    );
  }

  /** Names of the tools that were called, in order. */
  async calls(name: string): Promise<readonly string[]> {
    return (await this.#log(name)).flatMap((line) =>
      line.startsWith("call ") ? [line.slice(5)] : [],
    );
  }

  /** Changes its list of tools, and lets it say so. */
  async changeTools(name: string, tools: readonly unknown[]): Promise<void> {
    await this.change(name, { tools });
    process.kill((await this.starts(name)).at(-1) ?? 0, "SIGUSR2");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.folder[Symbol.asyncDispose]();
  }

  #file(name: string): string {
    return this.folder.join(`${name}.json`);
  }

  async #log(name: string): Promise<readonly string[]> {
    try {
      return (await readFile(`${this.#file(name)}.log`, "utf8")).split("\n");
    } catch {
      return [];
    }
  }
}

export async function liveServers(): Promise<LiveServers> {
  return new LiveServers(await tempFolder("mcp-live"));
}

/** Waits until the assertions hold. */
export function eventually(
  assertions: () => void | Promise<void>,
  timeout = 15_000,
): Promise<void> {
  return vi.waitFor(assertions, { timeout, interval: 20 });
}

export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** None of these runs any more, at once. */
export function expectGone(pids: readonly number[]): void {
  expect(pids.filter(isRunning)).toEqual([]);
}
