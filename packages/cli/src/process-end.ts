import { constants } from "node:os";
import { isatty } from "node:tty";
import { errnoOf } from "@acumen/core";
import { cliError } from "./errors.ts";

const ENDING_SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/**
 * The first signal that asks this process to end aborts the returned signal with CLI_INTERRUPTED, so that commands can end
 * their children and remove their folders; the second one ends the process at once (children then see their stdin close).
 * A reader of stdout that has seen enough (`acumen … | head`) counts as SIGPIPE, which Node itself never delivers.
 */
export function signalToAbort(stdout: NodeJS.WriteStream): AbortSignal {
  const controller = new AbortController();
  const abort = (signal: NodeJS.Signals): void => {
    controller.abort(cliError("CLI_INTERRUPTED", `Ended by ${signal}.`, { details: { signal } }));
  };
  for (const name of ENDING_SIGNALS) {
    process.on(name, () => {
      if (controller.signal.aborted) process.exit(128 + constants.signals[name]);
      abort(name);
    });
  }
  let unwritten = false;
  stdout.on("error", (error) => {
    if (errnoOf(error) === "EPIPE") abort("SIGPIPE");
    else if (!unwritten) {
      unwritten = true;
      failUnwritten(errnoOf(error) ?? "unknown error");
    }
  });
  return controller.signal;
}

/**
 * Node resets the terminal when it exits, and aborts (SIGABRT, a core dump) when there is none any more. A process whose
 * terminal was closed therefore ends the way such processes do: by SIGHUP.
 */
export function endWithTerminal(): void {
  const terminals = [0, 1, 2].filter((descriptor) => isatty(descriptor));
  if (terminals.length === 0) return;
  process.on("exit", () => {
    if (terminals.every((descriptor) => isatty(descriptor))) return;
    process.removeAllListeners("SIGHUP");
    process.kill(process.pid, "SIGHUP");
  });
}

/** Whatever the command made of itself: output that was lost (a full disk behind `>`) is no success. */
function failUnwritten(errno: string): void {
  process.stderr.write(
    `acumen: the output could not be written (${errno}); free space or choose another file.\n`,
  );
  process.on("exit", () => {
    process.exitCode = 1;
  });
}
