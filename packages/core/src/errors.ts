/** What every coded error carries. Messages name the thing, the reason and the remedy, and never hold secrets. */
export interface AcumenErrorInit {
  readonly code: string;
  readonly message: string;
  readonly details?: Readonly<Record<string, unknown>>;
  readonly cause?: unknown;
  /** True when the same call may succeed if it is simply made again. Default false. */
  readonly retryable?: boolean;
}

/** One row of a package's table of codes; `docs/errors.md` is generated from these rows. */
export interface ErrorRow {
  readonly meaning: string;
  readonly remedy: string;
}

const BRAND = Symbol.for("acumen.error");

/** Base class of every expected failure. The brand survives two copies of this package, `instanceof` does not. */
export class AcumenError extends Error {
  override readonly name: string = "AcumenError";
  readonly code: string;
  readonly details: Readonly<Record<string, unknown>>;
  readonly retryable: boolean;
  readonly [BRAND] = true;

  constructor(init: AcumenErrorInit) {
    super(init.message, init.cause === undefined ? undefined : { cause: init.cause });
    this.code = init.code;
    this.details = init.details ?? {};
    this.retryable = init.retryable ?? false;
  }

  static isInstance(value: unknown): value is AcumenError {
    return typeof value === "object" && value !== null && BRAND in value;
  }

  toJSON(): { code: string; message: string; details: Readonly<Record<string, unknown>> } {
    return { code: this.code, message: this.message, details: this.details };
  }
}

/** Makes the error factory of one package, so that a code outside its table does not compile. */
export function errorFactory<Code extends string>(
  _table: Readonly<Record<Code, ErrorRow>>,
): (code: Code, message: string, rest?: Omit<AcumenErrorInit, "code" | "message">) => AcumenError {
  return (code, message, rest) => new AcumenError({ ...rest, code, message });
}

export const CORE_ERRORS = {
  CORE_ABORTED: {
    meaning: "The caller's abort signal ended the work; nothing of it was committed afterwards.",
    remedy: "Call again without aborting, or with a longer deadline.",
  },
  CORE_FILE_NOT_FOUND: {
    meaning: "No file has this path.",
    remedy: "Check the path; relative paths start at the working directory.",
  },
  CORE_FILE_UNREADABLE: {
    meaning: "The file exists but cannot be read as a regular file.",
    remedy: "Check its permissions and that it is a file, not a folder, device or pipe.",
  },
  CORE_FILE_NOT_WRITABLE: {
    meaning: "The file could not be written; an earlier file of that name is untouched.",
    remedy: "Check permissions and free space of the folder.",
  },
  CORE_FILE_TOO_LARGE: {
    meaning: "The file is larger than what is accepted here.",
    remedy: "Split it, or check that it is the file you meant.",
  },
  CORE_JSON_INVALID: {
    meaning: "The text is not the JSON that is expected here.",
    remedy: "Repair the text; the message names the position or limit.",
  },
  CORE_LOCK_TIMEOUT: {
    meaning: "Somebody else held the lock for the whole waiting time.",
    remedy: "Try again when the other work has ended.",
  },
} as const satisfies Record<string, ErrorRow>;

export type CoreErrorCode = keyof typeof CORE_ERRORS;

export const coreError = errorFactory(CORE_ERRORS);
