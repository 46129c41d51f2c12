import { LocalProcesses } from "../../src/process/local-processes.ts";
import { ProcessGuard } from "../../src/process/process-guard.ts";

/** Runs the command of its first argument and is killed by whoever started it. */
const processes = new LocalProcesses(new ProcessGuard());
await processes.exec({
  command: process.argv[2] ?? "true",
  cwd: process.cwd(),
  env: { PATH: process.env["PATH"] ?? "" },
  timeoutMs: 300_000,
  signal: new AbortController().signal,
  onData: (chunk) => {
    process.stdout.write(chunk);
  },
});
