const BRAND = Symbol.for("acumen.agent.file-refused");

/** A file that may or can not be used; its message is for the model and becomes a tool result. */
class FileRefused extends Error {
  override readonly name = "FileRefused";
  readonly [BRAND] = true;
}

/** @param message names the file, the reason and what to do */
export function fileRefused(message: string): Error {
  return new FileRefused(message);
}

export function isFileRefused(error: unknown): error is Error {
  return error instanceof Error && BRAND in error;
}
