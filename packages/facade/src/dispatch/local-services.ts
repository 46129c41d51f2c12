import { stat } from "node:fs/promises";
import { join } from "node:path";
import type { Redactor } from "@acumen/agent";
import { type Clock, type Logger, silentLogger, systemClock } from "@acumen/core";
import { ProjectActions } from "../actions/project-actions.ts";
import { ContextAssembler } from "../context/context-assembler.ts";
import { ResourceNotFoundError } from "../errors/domain-error.ts";
import { AcpEventQueue } from "../events/acp-event-queue.ts";
import { GitCommand } from "../git/git-command.ts";
import type { After } from "../plans/after.ts";
import type { PlanExecutor } from "../plans/plan-executor.ts";
import { PlanLifecycle } from "../plans/plan-lifecycle.ts";
import type { PlanSettings } from "../plans/plan-parts.ts";
import type { Isolation } from "../plans/plan.ts";
import { FolderProjects } from "../registries/folder-projects.ts";
import { McpServers, type McpServersOptions } from "../registries/mcp-servers.ts";
import { ResourceCatalog } from "../registries/resource-catalog.ts";
import { ToolCatalog } from "../registries/tool-catalog.ts";
import { EphemeralPlace } from "../sandbox/ephemeral-place.ts";
import { GitSandboxes } from "../sandbox/git-sandboxes.ts";
import type { ProjectRegistry } from "../services/project-registry.ts";
import type { ServiceMap } from "../services/service-map.ts";
import type { SessionService } from "../services/session-service.ts";
import { activePlans } from "../sessions/active-plans.ts";
import { SessionRegistry } from "../sessions/session-registry.ts";
import type { FacadeStore } from "../store/facade-store.ts";
import { MemoryFacadeStore } from "../store/memory-facade-store.ts";

export interface LocalServicesOptions {
  /** Default: in memory. */
  readonly store?: FacadeStore;
  /** Default: one over the store. */
  readonly queue?: AcpEventQueue;
  /** Folders; the first is the default one. */
  readonly projects: readonly string[];
  /** Default: none is. */
  readonly isTrusted?: (path: string) => Promise<boolean>;
  /**
   * Where sandboxes lie, absolute, of one database: `<home>/sandboxes`. Those of a store in memory lie in a folder of their own,
   * `<home>/ephemeral/…`, until the store is closed.
   */
  readonly home: string;
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** Default: bubblewrap where it works. */
  readonly isolation?: "auto" | "none";
  /** Hidden from commands of plans beside `HOME` of the environment. Default: what the system says of this user. */
  readonly userHome?: string;
  readonly executor?: PlanExecutor;
  /** A user's own services, which the others ask instead of those made here. Looked at with each use. */
  readonly replaced?: () => Partial<ServiceMap>;
  /** Absent: no MCP servers are known. */
  readonly mcp?: Omit<McpServersOptions, "clock" | "logger">;
  readonly settings?: PlanSettings;
  readonly redact?: Redactor;
  readonly clock?: Clock;
  /** Timers of plans. Default: those of the system. */
  readonly after?: After;
  readonly logger?: Logger;
}

/** Real services over one store, wired with each other. */
export interface LocalServices {
  readonly services: Partial<ServiceMap>;
  readonly store: FacadeStore;
  readonly queue: AcpEventQueue;
  readonly plans: PlanLifecycle;
  readonly projects: ProjectRegistry;
  /** How commands of plans are kept to their sandbox. @throws ConfigurationError when git is missing or too old */
  isolation(): Promise<Isolation>;
  /** Ends what the registries started; the plans, the queue and the store are closed by themselves. */
  close(): Promise<void>;
}

export function createLocalServices(options: LocalServicesOptions): LocalServices {
  const { clock = systemClock, logger = silentLogger, environment = {}, home } = options;
  const store = options.store ?? new MemoryFacadeStore({ clock });
  const queue = options.queue ?? new AcpEventQueue({ store, clock, logger });
  const redaction = options.redact === undefined ? {} : { redact: options.redact };
  const projects = new FolderProjects({
    folders: options.projects,
    isTrusted: options.isTrusted ?? (async () => false),
    isCheckout,
  });
  const place = EphemeralPlace.of(store, home);
  const sandboxes = new GitSandboxes({
    home,
    ...(place !== undefined && { place }),
    environment,
    clock,
    logger,
    ...confinement(options),
    ...redaction,
  });
  store.onClose?.(() => sandboxes.end());
  const actions = new ProjectActions({ projects, sandboxes });
  const sessions = new SessionRegistry({
    store,
    commit: (change) => queue.commit(change),
    activePlans: (sessionId, caller) => activePlans(store, sessionId, caller),
    cancelPlan: (planId, caller) => plans.cancelPlan(planId, caller),
    checkActor,
    clock,
  });
  const replaced = options.replaced ?? nothing;
  const plans: PlanLifecycle = new PlanLifecycle({
    store,
    queue,
    projects,
    actions: {
      inAdvance: async (name, project) =>
        (replaced().action_registry ?? actions).inAdvance?.(name, project),
      atBase: (name, project, base) =>
        (replaced().action_registry ?? actions).atBase(name, project, base),
    },
    sandboxes,
    sessions: askedSessions(sessions, replaced),
    clock,
    logger,
    ...(options.executor !== undefined && { executor: options.executor }),
    ...(options.settings !== undefined && { settings: options.settings }),
    ...(options.after !== undefined && { after: options.after }),
    ...redaction,
  });
  const servers =
    options.mcp === undefined ? undefined : new McpServers({ ...options.mcp, clock, logger });
  const lists = registries({ projects, home, servers });
  const context = new ContextAssembler({
    store,
    commit: (change) => queue.commit(change),
    projects,
    git: new GitCommand({ environment }),
    home,
    plans,
    tools: lists.tool_registry,
    queue,
    replaced,
    ...redaction,
  });
  const services: Partial<ServiceMap> = {
    session_service: sessions,
    plan_lifecycle_service: plans,
    ...lists,
    context_service: context,
    event_queue: queue,
    action_registry: actions,
  };
  const close = async (): Promise<void> => servers?.close();
  const isolation = async (): Promise<Isolation> => (await sandboxes.check()).isolation;
  return { services, store, queue, plans, projects, isolation, close };
}

function confinement({
  isolation,
  userHome,
}: LocalServicesOptions): Pick<LocalServicesOptions, "isolation" | "userHome"> {
  return {
    ...(isolation !== undefined && { isolation }),
    ...(userHome !== undefined && { userHome }),
  };
}

function registries(of: {
  readonly projects: ProjectRegistry;
  readonly home: string;
  readonly servers: McpServers | undefined;
}): Pick<ServiceMap, "tool_registry" | "resource_registry_service"> {
  const { projects, home, servers } = of;
  const definitions = servers?.definitions;
  return {
    tool_registry: new ToolCatalog({ projects, ...(servers !== undefined && { servers }) }),
    resource_registry_service: new ResourceCatalog({
      projects,
      home,
      ...(definitions !== undefined && { definitions }),
    }),
  };
}

/** A property that may be missing: a user's own sessions need not be readable. */
function askedSessions(
  sessions: SessionService,
  replaced: () => Partial<ServiceMap>,
): Pick<SessionService, "get"> {
  return {
    get get() {
      const service: SessionService = replaced().session_service ?? sessions;
      return service.get?.bind(service);
    },
  } as Pick<SessionService, "get">;
}

function nothing(): Partial<ServiceMap> {
  return {};
}

async function isCheckout(path: string): Promise<boolean> {
  return stat(join(path, ".git")).then(
    () => true,
    () => false,
  );
}

/** The actors that there are: the coding agent. */
const ACTORS: ReadonlySet<string> = new Set(["builtin/agent"]);

function checkActor(name: string): void {
  if (ACTORS.has(name)) return;
  throw new ResourceNotFoundError(
    `There is no actor ${JSON.stringify(name)}; there is ${[...ACTORS].join(", ")}.`,
    { details: { actor_name: name } },
  );
}
