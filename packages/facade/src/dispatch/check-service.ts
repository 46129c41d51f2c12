import { closest } from "@acumen/core";
import { ConfigurationError } from "../errors/domain-error.ts";
import type { ServiceKey } from "../services/service-map.ts";

/** What a service must have at least, by its key. */
const SERVICE_METHODS: Readonly<Record<ServiceKey, readonly string[]>> = {
  session_service: ["create", "delete"],
  plan_lifecycle_service: ["useAction", "executePlan", "getPlan", "applyPlan"],
  tool_registry: ["listTools"],
  resource_registry_service: ["listResources"],
  event_queue: ["subscribeLocal"],
  context_service: ["getContext"],
  action_registry: ["atBase", "listActions"],
  plan_executor: ["strategize", "execute"],
};

/** @throws ConfigurationError for an unknown key or a missing method, at the time of wiring and not of the first request */
export function checkService(key: string, service: unknown): void {
  const methods = Object.hasOwn(SERVICE_METHODS, key)
    ? SERVICE_METHODS[key as ServiceKey]
    : undefined;
  if (methods === undefined) {
    const near = closest(key, Object.keys(SERVICE_METHODS));
    const hint = near === undefined ? Object.keys(SERVICE_METHODS).join(", ") : near;
    throw new ConfigurationError(`There is no service key ${JSON.stringify(key)}; use ${hint}.`, {
      details: { service: key },
    });
  }
  const holder = (typeof service === "object" || typeof service === "function") && service !== null;
  const missing = methods.filter(
    (name) => !holder || typeof (service as Record<string, unknown>)[name] !== "function",
  );
  if (missing.length === 0) return;
  throw new ConfigurationError(
    `The service ${key} lacks ${missing.join(", ")}; it needs ${methods.join(", ")}.`,
    { details: { service: key, missing } },
  );
}
