import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { tempFolder } from "@acumen/testkit";
import {
  McpConfigManager,
  type McpConfigSource,
  type ResolvedMcpServer,
  WorkspaceTrust,
} from "../../../src/index.ts";

export const ENVIRONMENT = { PATH: "/usr/bin:/bin", TOKEN: "tok-0123456789" };

export interface Machine extends AsyncDisposable {
  readonly folder: string;
  readonly home: string;
  readonly cwd: string;
  readonly machineFile: string;
  readonly workspaceFile: string;
  readonly trust: WorkspaceTrust;
  readonly manager: McpConfigManager;
  /** Writes `mcp.json` by hand. */
  define(content: unknown): Promise<void>;
  /** Writes `workspace.json` by hand. */
  choose(content: unknown): Promise<void>;
  read(path: string): Promise<string>;
}

/** A home folder of Acumen and a workspace, both empty. */
export async function machine(options: { readonly once?: boolean } = {}): Promise<Machine> {
  const folder = await tempFolder("mcp-config");
  const home = folder.join("acumen");
  const cwd = folder.join("work");
  await mkdir(cwd);
  const environment = { ...ENVIRONMENT, HOME: folder.join("ann") };
  const trust = new WorkspaceTrust({ home, environment, ...options });
  const machineFile = join(home, "mcp.json");
  const workspaceFile = join(cwd, ".acumen", "workspace.json");
  const write = async (path: string, content: unknown): Promise<void> => {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, typeof content === "string" ? content : JSON.stringify(content));
  };
  return {
    folder: folder.path,
    home,
    cwd,
    machineFile,
    workspaceFile,
    trust,
    manager: new McpConfigManager({ home, environment, trust }),
    define: (content) => write(machineFile, content),
    choose: (content) => write(workspaceFile, content),
    read: (path) => readFile(path, "utf8"),
    [Symbol.asyncDispose]: () => folder.remove(),
  };
}

export async function serverOf(source: McpConfigSource, name: string): Promise<ResolvedMcpServer> {
  const { servers } = await source.resolve();
  const found = servers.find((server) => server.name === name);
  if (found === undefined) throw new Error(`No server ${name}.`);
  return found;
}
