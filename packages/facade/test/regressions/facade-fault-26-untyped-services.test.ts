import { expect, expectTypeOf, it } from "vitest";
import { AcpLocalFacade, type AcpLocalFacadeOptions } from "../../src/dispatch/acp-local-facade.ts";
import { ConfigurationError } from "../../src/errors/domain-error.ts";
import type { ServiceKey, ServiceMap } from "../../src/services/service-map.ts";

const KEYS: Readonly<Record<ServiceKey, true>> = {
  session_service: true,
  plan_lifecycle_service: true,
  tool_registry: true,
  resource_registry_service: true,
  event_queue: true,
  context_service: true,
  action_registry: true,
  plan_executor: true,
};

it.each(Object.keys(KEYS))("a wrong %s is found when it is wired", async (key) => {
  const wrong = { [key]: { somethingElse: () => undefined } };
  expect(() => new AcpLocalFacade({ services: wrong as never })).toThrow(ConfigurationError);
  await using facade = new AcpLocalFacade();
  const register = (): void => facade.registerService(key as ServiceKey, wrong[key] as never);
  expect(register).toThrow(ConfigurationError);
  expect(register).toThrow(/lacks/);
});

it("a key that no service has is found when it is wired, with the one that was meant", () => {
  const wrong = { tool_regstry: {} } as never;
  expect(() => new AcpLocalFacade({ services: wrong })).toThrow(/use tool_registry/);
});

it("services have types", () => {
  expectTypeOf<NonNullable<AcpLocalFacadeOptions["services"]>>().toEqualTypeOf<
    Partial<ServiceMap>
  >();
  for (const key of Object.keys(KEYS) as ServiceKey[]) {
    expectTypeOf<ServiceMap[typeof key]>().not.toBeAny();
  }
});
