// stdout belongs to the protocol: whatever a library prints goes to stderr, from before anything else is imported.
for (const method of ["log", "info", "debug"] as const)
  globalThis.console[method] = globalThis.console.error.bind(globalThis.console);

// A host that closes our stderr must not end the server with it.
process.stderr.on("error", () => undefined);

// Beyond a limit on the size of files, a write must fail as on a full disk; without a listener it kills the process.
process.on("SIGXFSZ", () => undefined);

// A host may change its mind before the server stands.
let end = (): void => process.exit(0);
for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, () => end());

const { runCommand } = await import("./command.ts");

const code = await runCommand({
  args: process.argv.slice(2),
  env: process.env,
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  onServing: (server, logger) => {
    end = () => void server.close();
    process.on("unhandledRejection", (reason) => {
      logger.error("unhandled rejection", { error: nameOf(reason) });
    });
    // The state may be broken, so this process ends; what was learned is saved first.
    process.on("uncaughtException", (error) => {
      logger.error("uncaught exception", { error: nameOf(error) });
      void server.close().finally(() => process.exit(1));
    });
  },
});

function nameOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.name : typeof thrown;
}

// Open sockets of a model provider, or a client that keeps its end of stdin open, must not keep the process.
process.exit(code);
