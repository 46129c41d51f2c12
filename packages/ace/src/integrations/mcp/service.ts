import { setTimeout as sleep } from "node:timers/promises";
import type { CallTool } from "./adapters.ts";
import type { EngineOptions, McpEngine } from "./engine.ts";

/** The tools of one server process, whatever number of connections it serves. */
export interface McpService {
  readonly call: CallTool;
  /** Lets calls that were aborted come to their end, then saves what is unsaved; takes at most 1.5 s. */
  close(): Promise<void>;
}

const CLOSE_MS = 1_500;

/** The engine is loaded with the first call: a host that only lists tools never pays for it. */
export function createService(options: EngineOptions): McpService {
  let engine: Promise<McpEngine> | undefined;
  const open = (): Promise<McpEngine> =>
    (engine ??= import("./engine.ts").then(({ createEngine }) => createEngine(options)));
  return {
    call: async (tool, args, context) => (await open()).handlers.call(tool, args, context),
    close: async () => {
      if (engine === undefined) return;
      const { registry } = await engine;
      const end = async (): Promise<void> => {
        await registry.idle();
        await registry.saveChanged();
      };
      await Promise.race([end(), sleep(CLOSE_MS, undefined, { ref: false })]);
    },
  };
}
