import { AcumenError, type AcumenErrorInit } from "@acumen/core";
import type { FacadeErrorCode } from "../errors.ts";

/** Base of every expected failure; the protocol's reference calls it so. */
export { AcumenError as CleverAgentsError };

export type ErrorRest = Pick<AcumenErrorInit, "details" | "cause" | "retryable">;

/** Failures of the protocol itself, not of what it is used for. */
export class AcpError extends AcumenError {
  override readonly name: string = "AcpError";

  constructor(code: FacadeErrorCode, message: string, rest: ErrorRest = {}) {
    super({ ...rest, code, message });
  }
}

/** A service that this process lacks, or a server that does not answer. */
export class AcpNotAvailableError extends AcpError {
  override readonly name = "AcpNotAvailableError";

  constructor(message: string, rest: ErrorRest = {}) {
    super("FACADE_NOT_AVAILABLE", message, rest);
  }
}

export class AcpVersionMismatchError extends AcpError {
  override readonly name = "AcpVersionMismatchError";

  constructor(version: string, supported: readonly string[]) {
    super(
      "FACADE_VERSION_MISMATCH",
      `Version ${JSON.stringify(version)} of the protocol is not spoken here; use ${supported.join(" or ")}.`,
      { details: { version, supported: [...supported] } },
    );
  }
}

export class AcpOperationNotFoundError extends AcpError {
  override readonly name = "AcpOperationNotFoundError";

  constructor(operation: string, closest?: string) {
    const hint = closest === undefined ? "system.describe lists them" : `did you mean ${closest}?`;
    super(
      "FACADE_OPERATION_NOT_FOUND",
      `There is no operation ${JSON.stringify(operation)}; ${hint}.`,
      { details: { operation } },
    );
  }
}
