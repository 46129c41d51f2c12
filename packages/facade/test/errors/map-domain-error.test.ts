import { AcumenError } from "@acumen/core";
import { expect, test } from "vitest";
import { ACP_ERROR_CODES } from "../../src/envelope/acp-error-detail.ts";
import { FACADE_ERRORS } from "../../src/errors.ts";
import {
  AcpError,
  AcpNotAvailableError,
  AcpOperationNotFoundError,
  AcpVersionMismatchError,
  CleverAgentsError,
} from "../../src/errors/acp-error.ts";
import {
  AuthenticationError,
  AuthorizationError,
  BusinessRuleViolation,
  ConfigurationError,
  PlanError,
  ResourceNotFoundError,
  ValidationError,
} from "../../src/errors/domain-error.ts";
import { mapDomainError } from "../../src/errors/map-domain-error.ts";

test.each([
  [new ResourceNotFoundError("x"), "NOT_FOUND"],
  [new ValidationError("x"), "VALIDATION_ERROR"],
  [new PlanError("x"), "PLAN_ERROR"],
  [new BusinessRuleViolation("x"), "INVALID_STATE"],
  [new AuthenticationError("x"), "AUTH_ERROR"],
  [new AuthorizationError("x"), "FORBIDDEN"],
  [new ConfigurationError("x"), "CONFIGURATION_ERROR"],
  [new CleverAgentsError({ code: "SOMETHING_ELSE", message: "x" }), "INTERNAL_ERROR"],
  [new TypeError("x"), "INTERNAL_ERROR"],
  ["a string", "INTERNAL_ERROR"],
  [undefined, "INTERNAL_ERROR"],
  [new AcpNotAvailableError("x"), "NOT_AVAILABLE"],
  [new AcpVersionMismatchError("2.0", ["1.0"]), "VERSION_MISMATCH"],
  [new AcpOperationNotFoundError("x.y"), "OPERATION_NOT_FOUND"],
])("%s becomes %s", (error, code) => {
  expect(mapDomainError(error)).toMatchObject({ code });
});

test("the hierarchy of the protocol's errors", () => {
  for (const error of [
    new AcpNotAvailableError("x"),
    new AcpVersionMismatchError("2.0", ["1.0"]),
    new AcpOperationNotFoundError("x.y"),
  ]) {
    expect(error).toBeInstanceOf(AcpError);
    expect(error).toBeInstanceOf(CleverAgentsError);
    expect(error.name).toBe(error.constructor.name);
  }
  expect(CleverAgentsError).toBe(AcumenError);
});

test("every code of the wire has a row, and every row a code", () => {
  expect(Object.keys(FACADE_ERRORS).map((code) => code.slice("FACADE_".length))).toEqual([
    ...ACP_ERROR_CODES,
  ]);
});

test("an error of another copy of the package is known by its brand", () => {
  const foreign = {
    [Symbol.for("acumen.error")]: true,
    code: "FACADE_NOT_FOUND",
    message: "gone",
    details: { id: 1 },
    retryable: false,
  };
  expect(mapDomainError(foreign)).toEqual({
    code: "NOT_FOUND",
    message: "gone",
    details: { id: 1 },
  });
});

test("details that are no JSON do not get out", () => {
  const cyclic: Record<string, unknown> = {};
  cyclic["self"] = cyclic;
  expect(mapDomainError(new PlanError("x", { details: cyclic })).details).toEqual({});
});

test.each(["ENOSPC", "EDQUOT", "EMFILE", "ENFILE"])(
  "%s of the machine is said without its path, and passes",
  (errno) => {
    const error = Object.assign(new Error(`${errno}: failed, mkdir '/home/you/secret'`), {
      code: errno,
    });
    const detail = mapDomainError(error, "correlation");
    expect(detail).toMatchObject({ code: "NOT_AVAILABLE", retryable: true, details: { errno } });
    expect(JSON.stringify(detail)).not.toContain("secret");
  },
);
