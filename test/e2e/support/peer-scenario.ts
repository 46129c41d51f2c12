import type { Command } from "@acumen/testkit";
import { PEERS } from "./peers.ts";
import { mustRun } from "./run-command.ts";

export type Peer = "v1" | "v2 legacy" | "v2 auto" | "v2 modern";

export interface ScenarioCall {
  readonly name: string;
  readonly arguments: unknown;
  readonly progress?: boolean;
  /** Cancels the call at its n-th note of progress, when it is surely at work. Needs `progress`. */
  readonly abortAfterNotes?: number;
}

export interface ScenarioResult {
  readonly result?: {
    readonly isError?: boolean;
    readonly content: readonly { readonly type: string; readonly text: string }[];
    readonly structuredContent?: Readonly<Record<string, unknown>>;
  };
  readonly error?: { readonly code: number | string; readonly message: string };
  readonly progress: readonly { readonly progress: number; readonly total?: number }[];
}

export interface ScenarioReport {
  readonly era?: "legacy" | "modern";
  readonly server: { readonly name: string; readonly version: string };
  readonly capabilities: Readonly<Record<string, unknown>>;
  readonly tools: readonly {
    readonly name: string;
    readonly title?: string;
    readonly description?: string;
    readonly inputSchema: Readonly<Record<string, unknown>>;
    readonly outputSchema?: Readonly<Record<string, unknown>>;
    readonly annotations?: Readonly<Record<string, boolean>>;
  }[];
  readonly results: readonly ScenarioResult[];
  readonly closeMs: number;
  readonly stderr: string;
}

export interface Scenario {
  readonly server: Command & { readonly env: Readonly<Record<string, string>> };
  readonly calls: readonly ScenarioCall[];
  readonly parallel?: boolean;
}

/** Lets an SDK client of the given line and era play a scenario against a server; see `test/peers/stdio-scenario.mjs`. */
export async function playScenario(peer: Peer, scenario: Scenario): Promise<ScenarioReport> {
  const [line, mode] = peer.split(" ");
  const run = await mustRun(
    process.execPath,
    [`${PEERS}/${line}-client.mjs`, JSON.stringify({ ...scenario, mode })],
    { cwd: PEERS, timeoutMs: 120_000 },
  );
  return JSON.parse(run.stdout) as ScenarioReport;
}
