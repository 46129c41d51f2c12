import { AcumenError } from "@acumen/core";
import type { ErrorRest } from "./acp-error.ts";

/** It does not exist, or belongs to somebody else. */
export class ResourceNotFoundError extends AcumenError {
  override readonly name = "ResourceNotFoundError";
  constructor(message: string, rest: ErrorRest = {}) {
    super({ ...rest, code: "FACADE_NOT_FOUND", message });
  }
}

export interface ValidationIssue {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/** `details.issues` names each place. */
export class ValidationError extends AcumenError {
  override readonly name = "ValidationError";
  constructor(message: string, issues: readonly ValidationIssue[] = [], rest: ErrorRest = {}) {
    super({
      ...rest,
      code: "FACADE_VALIDATION_ERROR",
      message,
      details: {
        ...rest.details,
        issues: issues.map(({ path, ...issue }) => ({ ...issue, path: [...path] })),
      },
    });
  }
}

export class PlanError extends AcumenError {
  override readonly name = "PlanError";
  constructor(message: string, rest: ErrorRest = {}) {
    super({ ...rest, code: "FACADE_PLAN_ERROR", message });
  }
}

/** A precondition does not hold; for plans `details` say which operations are allowed. */
export class BusinessRuleViolation extends AcumenError {
  override readonly name = "BusinessRuleViolation";
  constructor(message: string, rest: ErrorRest = {}) {
    super({ ...rest, code: "FACADE_INVALID_STATE", message });
  }
}

export class AuthenticationError extends AcumenError {
  override readonly name = "AuthenticationError";
  constructor(message: string, rest: ErrorRest = {}) {
    super({ ...rest, code: "FACADE_AUTH_ERROR", message });
  }
}

export class AuthorizationError extends AcumenError {
  override readonly name = "AuthorizationError";
  constructor(message: string, rest: ErrorRest = {}) {
    super({ ...rest, code: "FACADE_FORBIDDEN", message });
  }
}

export class ConfigurationError extends AcumenError {
  override readonly name = "ConfigurationError";
  constructor(message: string, rest: ErrorRest = {}) {
    super({ ...rest, code: "FACADE_CONFIGURATION_ERROR", message });
  }
}

/** Somebody else was faster: a stale version, digest or head. */
export class ConflictError extends AcumenError {
  override readonly name = "ConflictError";
  constructor(message: string, rest: ErrorRest = {}) {
    super({ ...rest, code: "FACADE_CONFLICT", message });
  }
}
