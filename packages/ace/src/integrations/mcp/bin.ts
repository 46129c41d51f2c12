// stdout belongs to the protocol: whatever a library prints goes to stderr, from before anything else is imported.
for (const method of ["log", "info", "debug"] as const)
  globalThis.console[method] = globalThis.console.error.bind(globalThis.console);

// A host that closes our stderr must not end the server with it.
process.stderr.on("error", () => undefined);

const { runCommand } = await import("./command.ts");

const code = await runCommand({
  args: process.argv.slice(2),
  env: process.env,
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  onServing: (server, logger) => {
    for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const)
      process.on(signal, () => void server.close());
    process.on("unhandledRejection", (reason) => {
      logger.error("unhandled rejection", {
        error: reason instanceof Error ? reason.name : typeof reason,
      });
    });
  },
});
// Open sockets of a model provider, or a client that keeps its end of stdin open, must not keep the process.
process.exit(code);
