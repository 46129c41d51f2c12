import { constants } from "node:os";
import { errnoOf } from "@acumen/core";
import { cliError } from "./errors.ts";

const ENDING_SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/**
 * The first signal that asks this process to end aborts the returned signal with CLI_INTERRUPTED, so that commands can end
 * their children; the second one ends the process at once (children then see their stdin close).
 */
export function signalToAbort(): AbortSignal {
  const controller = new AbortController();
  for (const name of ENDING_SIGNALS) {
    process.on(name, () => {
      if (controller.signal.aborted) process.exit(128 + constants.signals[name]);
      controller.abort(
        cliError("CLI_INTERRUPTED", `Ended by ${name}.`, { details: { signal: name } }),
      );
    });
  }
  return controller.signal;
}

/** A reader that has seen enough (`acumen … | head`) is no failure, and nobody is left to write to. */
export function endOnBrokenPipe(stream: NodeJS.WriteStream): void {
  stream.on("error", (error) => {
    process.exit(errnoOf(error) === "EPIPE" ? 0 : 1);
  });
}
