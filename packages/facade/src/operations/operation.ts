import type { z } from "zod";
import type { Caller } from "../access/caller.ts";
import type { Scope } from "../access/scope.ts";
import type { ServiceKey, ServiceMap } from "../services/service-map.ts";

/** How an operation reaches services: a missing one is NOT_AVAILABLE with its key. */
export interface OperationServices {
  /** @throws AcpNotAvailableError naming the key */
  get<Key extends ServiceKey>(key: Key): NonNullable<ServiceMap[Key]>;
  /** A method that a user's own service may lack, bound. @throws AcpNotAvailableError naming key and method */
  method<Key extends ServiceKey, Name extends keyof NonNullable<ServiceMap[Key]>>(
    key: Key,
    name: Name,
  ): NonNullable<NonNullable<ServiceMap[Key]>[Name]>;
}

export interface OperationContext extends Caller {
  readonly services: OperationServices;
  /** All of this facade, sorted by name. */
  readonly operations: readonly Operation[];
}

/** One operation of the protocol: what it takes, gives, needs and does. */
export interface Operation<
  Params extends z.ZodType = z.ZodType,
  Output extends z.ZodType = z.ZodType,
> {
  readonly name: string;
  /** One sentence, for descriptions of the interface. */
  readonly summary: string;
  readonly params: Params;
  readonly output: Output;
  /** Null: any token. */
  readonly scope: Scope | null;
  /** Changes something: takes idempotency keys and is limited. */
  readonly mutating: boolean;
  run(params: z.output<Params>, context: OperationContext): Promise<z.input<Output>>;
}

/** Keeps the schemas' types within `run`, and forgets them for the table. */
export function defineOperation<Params extends z.ZodType, Output extends z.ZodType>(
  operation: Operation<Params, Output>,
): Operation {
  return operation as unknown as Operation;
}
