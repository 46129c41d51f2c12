import { describe, expect, test } from "vitest";
import * as facade from "../../src/index.ts";
import { FACADE_ERRORS } from "../../src/errors.ts";

type Exported = Readonly<Record<string, unknown>>;
type ErrorClass = new (message: string) => Error;

/** Code, the classes that become it, and what it means, row by row as the protocol's reference has them. */
const MAPPING = [
  ["NOT_FOUND", "ResourceNotFoundError", "does not exist"],
  ["VALIDATION_ERROR", "ValidationError", "parameter"],
  ["PLAN_ERROR", "PlanError", "plan"],
  ["INVALID_STATE", "BusinessRuleViolation", "state"],
  ["AUTH_ERROR", "AuthenticationError", "token"],
  ["FORBIDDEN", "AuthorizationError", "may not"],
  ["CONFIGURATION_ERROR", "ConfigurationError", "settings"],
] as const;

test.each(MAPPING)("%s comes of %s and means it", (code, name, word) => {
  const Class = (facade as Exported)[name] as ErrorClass;
  const detail = facade.mapDomainError(new Class("said"));
  expect(detail).toMatchObject({ code, message: "said" });
  expect(FACADE_ERRORS[`FACADE_${code}`].meaning).toContain(word);
});

test.each([
  ["another expected error", new facade.CleverAgentsError({ code: "OTHER", message: "secret" })],
  ["any error", new RangeError("secret")],
  ["what is no error", "secret"],
])("INTERNAL_ERROR comes of %s, without its text", (_what, error) => {
  const detail = facade.mapDomainError(error, "c-1");
  expect(detail).toMatchObject({ code: "INTERNAL_ERROR", details: { correlation_id: "c-1" } });
  expect(JSON.stringify(detail)).not.toContain("secret");
});

/** Class and the one above it. */
const HIERARCHY = [
  ["AcpError", "CleverAgentsError"],
  ["AcpNotAvailableError", "AcpError"],
  ["AcpVersionMismatchError", "AcpError"],
  ["AcpOperationNotFoundError", "AcpError"],
] as const;

describe("the hierarchy", () => {
  test.each(HIERARCHY)("%s stands under %s", (name, above) => {
    const all = facade as Exported;
    expect(Object.getPrototypeOf(all[name])).toBe(all[above]);
  });
});

/** Class and what raises it. */
const RAISED = [
  [
    "AcpNotAvailableError",
    () => new facade.AcpHttpTransport({ token: "t" }).send({ operation: "plan.list" }),
  ],
  [
    "AcpVersionMismatchError",
    () => new facade.AcpLocalFacade().dispatch({ operation: "plan.list", acp_version: "2.0" }),
  ],
  [
    "AcpOperationNotFoundError",
    () => new facade.AcpLocalFacade().dispatch({ operation: "plan.fly" }),
  ],
] as const;

test.each(RAISED)("%s is raised", async (name, raise) => {
  await expect(raise()).rejects.toBeInstanceOf((facade as Exported)[name] as ErrorClass);
});
