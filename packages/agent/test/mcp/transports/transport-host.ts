import { openTransport } from "../../../src/mcp/transports/open-transport.ts";
import { ProcessGuard } from "../../../src/process/process-guard.ts";
import { createRedactor } from "../../../src/redaction/redactor.ts";

/**
 * Opens a server that is a shell script, its first argument, with the variable that its second one names, and shows what that writes to
 * stderr. At the end of its input it exits without closing anything. Imports little, to begin soon.
 */
const opened = await openTransport(
  {
    transport: "stdio",
    command: "sh",
    args: ["-c", process.argv[2] ?? ""],
    env: { [process.argv[3] ?? "NAME"]: "value" },
    timeoutMs: 60_000,
    startupTimeoutMs: 20_000,
    onConflict: "reject",
    trustReadOnlyHint: false,
  },
  {
    name: "server",
    cwd: process.cwd(),
    environment: { PATH: process.env["PATH"] ?? "" },
    guard: new ProcessGuard(),
    redact: createRedactor(),
    signal: new AbortController().signal,
  },
);
await opened.transport.start();
let shown = "";
setInterval(() => {
  const tail = opened.stderrTail();
  process.stdout.write(tail.slice(shown.length));
  shown = tail;
}, 10);
process.stdin.on("end", () => process.exit(0)).resume();
