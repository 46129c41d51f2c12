import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { atMost, type BenchResult, figure, summarise } from "./bench-result.ts";
import { ended, LineProcess } from "./line-process.ts";

const BIN = fileURLToPath(new URL("../packages/cli/bin/acumen.js", import.meta.url));
const SPAWNS = 15;

/** The bars of the design that concern editors: from the start of `acumen acp` to the answers that they wait for. Runs `dist`. */
export async function run(): Promise<BenchResult[]> {
  const home = await mkdtemp(join(tmpdir(), "acumen-bench-"));
  try {
    const bare: number[] = [];
    const greeted: number[] = [];
    const opened: number[] = [];
    const left: number[] = [];
    const memory: number[] = [];
    for (let round = 0; round < SPAWNS; round += 1) {
      // In turns, because a machine that others use is not equally fast all the time.
      const bareStart = performance.now();
      await ended(spawn(process.execPath, ["-e", "0"]));
      const started = performance.now();
      bare.push(started - bareStart);
      const host = new LineProcess([BIN, "acp", "--model", "ollama/bench"], {
        cwd: home,
        env: { ACUMEN_HOME: home },
      });
      await host.request("initialize", { protocolVersion: 1 });
      greeted.push(performance.now() - started);
      await host.request("session/new", { cwd: home, mcpServers: [] });
      opened.push(performance.now() - started);
      memory.push(await host.residentMb());
      const ending = performance.now();
      await host.close();
      left.push(performance.now() - ending);
    }
    return [
      figure("node -e 0, for comparison", "ms", summarise(bare)),
      atMost(300, figure("acumen acp, start to initialize", "ms", summarise(greeted))),
      figure("acumen acp, start to session/new", "ms", summarise(opened), "the agent is loaded"),
      figure("acumen acp, end after EOF", "ms", summarise(left), "one open session"),
      figure("acumen acp resident memory", "MB", summarise(memory), "one open session"),
    ];
  } finally {
    await rm(home, { recursive: true, force: true });
  }
}
