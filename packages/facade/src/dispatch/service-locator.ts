import { AcpNotAvailableError } from "../errors/acp-error.ts";
import type { OperationServices } from "../operations/operation.ts";
import type { ServiceKey, ServiceMap } from "../services/service-map.ts";

/** The services of one facade; what is missing says so, and is never played. */
export class ServiceLocator implements OperationServices {
  readonly #services: Partial<ServiceMap>;

  constructor(services: Partial<ServiceMap>) {
    this.#services = services;
  }

  get<Key extends ServiceKey>(key: Key): NonNullable<ServiceMap[Key]> {
    const service = this.#services[key];
    if (service !== undefined) return service;
    throw new AcpNotAvailableError(
      `The service ${key} is not there; give it to the constructor or register it.`,
      { details: { service: key } },
    );
  }

  method<Key extends ServiceKey, Name extends keyof NonNullable<ServiceMap[Key]>>(
    key: Key,
    name: Name,
  ): NonNullable<NonNullable<ServiceMap[Key]>[Name]> {
    const service = this.get(key);
    const method: unknown = (service as NonNullable<ServiceMap[Key]>)[name];
    if (typeof method === "function") {
      return method.bind(service) as NonNullable<NonNullable<ServiceMap[Key]>[Name]>;
    }
    throw new AcpNotAvailableError(
      `The service ${key} has no method ${String(name)}, which this operation needs.`,
      { details: { service: key, method: String(name) } },
    );
  }
}
