import { AcumenError } from "@acumen/core";
import { cliError } from "./errors.ts";

/** Whatever was thrown, as a coded error; after a signal it is the signal's, because what fails then fails because of it. */
export function codedError(cause: unknown, signal: AbortSignal): AcumenError {
  if (signal.aborted && AcumenError.isInstance(signal.reason)) return signal.reason;
  if (AcumenError.isInstance(cause)) return cause;
  if (isFolderGone(cause)) {
    return cliError(
      "CLI_USAGE",
      "The folder in which the command was started does not exist any more. Change to one that does.",
      { cause },
    );
  }
  const message = cause instanceof Error ? cause.message : String(cause);
  return cliError("CLI_INTERNAL", message, { cause });
}

/** Of `process.cwd()`, which others than this program call too. */
function isFolderGone(cause: unknown): boolean {
  return cause instanceof Error && "syscall" in cause && cause.syscall === "uv_cwd";
}

/** Whoever closed the pipe wanted to see no more. */
export function isReaderGone({ code, details }: AcumenError): boolean {
  return code === "CLI_INTERRUPTED" && details["signal"] === "SIGPIPE";
}
