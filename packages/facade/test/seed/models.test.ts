import { describe, expect, test } from "vitest";
import type { z } from "zod";
import { acpErrorDetailSchema } from "../../src/envelope/acp-error-detail.ts";
import { acpEventSchema } from "../../src/envelope/acp-event.ts";
import { acpRequestSchema } from "../../src/envelope/acp-request.ts";
import { acpResponseSchema } from "../../src/envelope/acp-response.ts";
import { AcpLocalFacade } from "../../src/dispatch/acp-local-facade.ts";
import { AcpEventQueue } from "../../src/events/acp-event-queue.ts";

const ULID = /^[0-9A-HJKMNP-TV-Z]{26}$/;
const ISO_UTC = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const REQUIRED = Symbol("required");

/** Model, field and default, row by row as the protocol's reference has them. */
const REQUEST_FIELDS = [
  ["acp_version", "1.0"],
  ["request_id", ULID],
  ["operation", REQUIRED],
  ["params", {}],
  ["auth", null],
] as const;

describe("AcpRequest", () => {
  test.each(REQUEST_FIELDS)("%s", (field, preset) => {
    const given = { operation: "plan.list" };
    if (preset === REQUIRED) return expectRequired(acpRequestSchema, given, field);
    const value: unknown = acpRequestSchema.parse(given)[field];
    if (preset instanceof RegExp) expect(value).toMatch(preset);
    else expect(value).toEqual(preset);
  });
});

const OK = {
  acp_version: "1.0",
  request_id: "r",
  status: "ok",
  data: {},
  error: null,
  timing_ms: 0.5,
};

describe("AcpResponse", () => {
  test.each(["acp_version", "request_id", "status", "data", "error", "timing_ms"])(
    "%s is always there",
    async (field) => {
      expectRequired(acpResponseSchema, OK, field);
      const facade = new AcpLocalFacade();
      for (const params of [{}, { limit: -1 }]) {
        const response = await facade.dispatch({ operation: "plan.list", params });
        expect(response).toHaveProperty(field);
        expect(acpResponseSchema.parse(response)).toEqual(response);
      }
    },
  );

  test.each(["ok", "error"])("status may be %s", (status) => {
    const error = status === "ok" ? null : { code: "NOT_FOUND", message: "m" };
    expect(acpResponseSchema.safeParse({ ...OK, status, error }).success).toBe(true);
  });

  test("status may be nothing else", () => {
    expect(acpResponseSchema.safeParse({ ...OK, status: "maybe" }).success).toBe(false);
  });
});

describe("AcpErrorDetail", () => {
  test.each(["code", "message"])("%s is required", (field) => {
    expectRequired(acpErrorDetailSchema, { code: "NOT_FOUND", message: "m" }, field);
  });

  test("details are empty when nothing is given", () => {
    expect(acpErrorDetailSchema.parse({ code: "NOT_FOUND", message: "m" }).details).toEqual({});
  });
});

describe("AcpEvent", () => {
  test.each([
    ["event_id", ULID],
    ["event_type", /^x\.mine$/],
    ["timestamp", ISO_UTC],
  ] as const)("%s", async (field, pattern) => {
    expect((await published())[field]).toMatch(pattern);
  });

  test.each([
    ["plan_id", null],
    ["data", {}],
  ] as const)("%s is %j when nothing is given", async (field, preset) => {
    expect((await published())[field]).toEqual(preset);
  });

  test("event_type is required", async () => {
    expectRequired(acpEventSchema, await published(), "event_type");
  });
});

async function published() {
  const queue = new AcpEventQueue();
  const event = await queue.publish({ event_type: "x.mine" });
  await queue.close();
  return event;
}

function expectRequired(schema: z.ZodType, good: object, field: string): void {
  expect(schema.safeParse(good).success).toBe(true);
  const { [field as keyof typeof good]: _left, ...rest } = good;
  expect(schema.safeParse(rest).success).toBe(false);
}
