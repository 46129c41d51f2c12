import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Clock, createId, type Logger } from "@acumen/core";
import { ConfigurationError } from "../errors/domain-error.ts";
import { AcpEventQueue } from "../events/acp-event-queue.ts";
import type { PlanLifecycle } from "../plans/plan-lifecycle.ts";
import type { ServiceKey, ServiceMap } from "../services/service-map.ts";
import type { FacadeStore } from "../store/facade-store.ts";
import { MemoryFacadeStore } from "../store/memory-facade-store.ts";
import { checkService } from "./check-service.ts";
import { createLocalServices } from "./local-services.ts";

interface Given {
  readonly services?: Partial<ServiceMap>;
  readonly store?: FacadeStore;
  readonly projects?: readonly string[];
  readonly home?: string;
  /** The services of this moment, registered ones among them. */
  readonly current: () => Partial<ServiceMap>;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Default services whose events subscribers wait for, and which only our own queue takes. */
const WRITERS = ["session_service", "plan_lifecycle_service"] as const;

/** @throws ConfigurationError for services that do not fit together */
export function withDefaults({ services = {}, ...given }: Given): {
  readonly services: Partial<ServiceMap>;
  readonly store: FacadeStore;
  /** Ours, unless the user's own stands in its place. */
  readonly plans: PlanLifecycle | undefined;
  /** Ends what was made here, and nothing that was given. */
  readonly close: () => Promise<void>;
} {
  for (const [key, service] of Object.entries(services)) checkService(key, service);
  const { clock, logger, projects = [process.cwd()] } = given;
  const { event_queue: queue, plan_executor: executor } = services;
  const own = queue instanceof AcpEventQueue ? queue : undefined;
  checkMix(services, given.store);
  const store = given.store ?? own?.store ?? new MemoryFacadeStore({ clock });
  const home = given.home ?? join(tmpdir(), `acumen-${createId()}`);
  const local = createLocalServices({
    store,
    projects,
    home,
    // git is found by it; nothing else of the process reaches sandboxes.
    environment: { PATH: DEFAULT_PATH },
    clock,
    logger,
    replaced: given.current,
    ...(own !== undefined && { queue: own }),
    ...(executor !== undefined && { executor }),
  });
  const plans = services.plan_lifecycle_service === undefined ? local.plans : undefined;
  const close = inOrder([
    () => local.plans.close(),
    () => local.close(),
    async () => (own === undefined ? local.queue.close() : undefined),
    async () => (store === (given.store ?? own?.store) ? undefined : store.close()),
    // Plans of a database that outlives this process are still about the sandboxes there.
    async () => (given.home === undefined && store.kind === "memory" ? removed(home) : undefined),
  ]);
  return { services: { ...local.services, ...services }, store, plans, close };
}

async function removed(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true });
}

/** Each step, whatever becomes of the ones before. @throws what the first one threw that failed */
function inOrder(steps: readonly (() => Promise<void>)[]): () => Promise<void> {
  return async () => {
    const faults: unknown[] = [];
    for (const step of steps) await step().catch((fault: unknown) => faults.push(fault));
    if (faults.length > 0) throw faults[0];
  };
}

/**
 * A queue in whose place another one is registered would get no more events of the default services.
 * @throws ConfigurationError
 */
export function checkRegistered(
  key: ServiceKey,
  service: unknown,
  given: Partial<ServiceMap>,
): void {
  const writers = WRITERS.filter((each) => given[each] === undefined);
  if (key !== "event_queue" || writers.length === 0 || service === given.event_queue) return;
  throw new ConfigurationError(
    `The event_queue cannot be replaced any more: ${writers.join(", ")} keep their events in the first one. Register those first, or give it to the constructor.`,
    { details: { services: [...writers] } },
  );
}

/** @throws ConfigurationError for services each of which is fine, but which do not reach each other */
function checkMix(services: Partial<ServiceMap>, store: FacadeStore | undefined): void {
  const { event_queue: queue, plan_executor: executor, plan_lifecycle_service: plans } = services;
  const isOurs = queue instanceof AcpEventQueue;
  const writers = WRITERS.filter((key) => services[key] === undefined);
  if (queue !== undefined && !isOurs && writers.length > 0) {
    throw new ConfigurationError(
      `The event_queue is a user's own, so ${writers.join(", ")} must be too: the default ones keep their events in an AcpEventQueue.`,
      { details: { services: [...writers] } },
    );
  }
  if (isOurs && store !== undefined && queue.store !== store) {
    throw new ConfigurationError("The event_queue and the facade have different stores; give one.");
  }
  if (executor !== undefined && plans !== undefined) {
    throw new ConfigurationError(
      "A plan_executor was given together with a plan_lifecycle_service, which would never ask it; give one of them.",
    );
  }
}

const DEFAULT_PATH = "/usr/local/bin:/usr/bin:/bin";
