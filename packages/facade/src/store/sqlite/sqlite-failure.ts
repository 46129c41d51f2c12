import { AcpNotAvailableError } from "../../errors/acp-error.ts";

interface Failure {
  readonly pattern: RegExp;
  readonly message: string;
  readonly retryable: boolean;
}

/** Texts go over the wire: they hold no path and no SQL. */
const FAILURES: readonly Failure[] = [
  {
    pattern: /^SQLITE_(BUSY|LOCKED)/,
    message: "The database is in use by another process. Nothing was changed; try again.",
    retryable: true,
  },
  {
    pattern: /^SQLITE_FULL/,
    message:
      "The disk of the database is full. Nothing was changed; free some space and try again.",
    retryable: true,
  },
  {
    pattern: /^SQLITE_(CORRUPT|NOTADB)/,
    message:
      "The database is damaged. Stop the server and put back a copy of the file, or move it away to begin anew.",
    retryable: false,
  },
  {
    pattern: /^SQLITE_(READONLY|CANTOPEN|PERM|AUTH)/,
    message: "The database cannot be written. Check the permissions of the file and its folder.",
    retryable: false,
  },
  {
    pattern: /^SQLITE_/,
    message: "The database failed. Nothing was changed; the log of the server says more.",
    retryable: false,
  },
];

/** Such as `SQLITE_BUSY`; undefined for what is no failure of the database. */
export function sqliteCode(error: unknown): string | undefined {
  // A body that is no JSON any more.
  if (error instanceof SyntaxError) return "SQLITE_CORRUPT";
  if (!(error instanceof Error) || !("code" in error)) return undefined;
  const { code } = error;
  return typeof code === "string" && code.startsWith("SQLITE_") ? code : undefined;
}

/** A failure of the database as a coded error with `details.errno`; anything else as it is. */
export function sqliteFailure(error: unknown): unknown {
  const code = sqliteCode(error);
  const failure =
    code === undefined ? undefined : FAILURES.find(({ pattern }) => pattern.test(code));
  if (failure === undefined) return error;
  const { message, retryable } = failure;
  return new AcpNotAvailableError(message, { cause: error, details: { errno: code }, retryable });
}
