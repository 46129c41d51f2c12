import { access, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { NO_USAGE } from "@acumen/models";
import { tempFolder } from "@acumen/testkit";
import { describe, expect, test, vi } from "vitest";
import { AcpLocalFacade, type AcpLocalFacadeOptions } from "../../src/dispatch/acp-local-facade.ts";
import { AcpNotAvailableError } from "../../src/errors/acp-error.ts";
import { AcpEventQueue } from "../../src/events/acp-event-queue.ts";
import type { PlanExecutor } from "../../src/plans/plan-executor.ts";
import { GitSandboxes } from "../../src/sandbox/git-sandboxes.ts";
import { MemoryFacadeStore } from "../../src/store/memory-facade-store.ts";
import { gitProject } from "../support/git-project.ts";

const CREATE = {
  operation: "plan.create",
  params: { action_name: "builtin/task", arguments: { prompt: "x" } },
};
const unused = (): Promise<never> => Promise.reject(new Error("unused"));

function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

/** Works until it is aborted, and tells where. */
function endless() {
  let began: (path: string) => void = () => undefined;
  const place = new Promise<string>((resolve) => (began = resolve));
  let isAborted = false;
  const executor: PlanExecutor = {
    strategize: async () => ({ rationale: "x", steps: [], usage: NO_USAGE }),
    execute: async ({ sandbox, signal }) => {
      await writeFile(join(sandbox.path, "NOTE.md"), "x\n");
      began(sandbox.path);
      await new Promise((_resolve, reject) => {
        signal.addEventListener("abort", () => {
          isAborted = true;
          reject(new Error("aborted"));
        });
      });
      return { summary: "never", usage: NO_USAGE };
    },
  };
  return { executor, place, isAborted: () => isAborted };
}

/** A facade whose plan is at work, and a request that waits for it. */
async function atWork(options: AcpLocalFacadeOptions) {
  const { executor, place, isAborted } = endless();
  const facade = new AcpLocalFacade({ ...options, services: { plan_executor: executor } });
  const { data, error } = await facade.dispatch(CREATE);
  expect(error).toBeNull();
  const params = { plan_id: data["plan_id"] ?? "", wait: true };
  const waiting = facade.dispatch({
    operation: "plan.execute",
    idempotency_key: "k",
    params,
  });
  return { facade, waiting, params, sandbox: await place, isAborted };
}

describe("a facade that is closed", () => {
  test("answers NOT_AVAILABLE, also after a second close, and still knows its operations", async () => {
    const facade = new AcpLocalFacade();
    await Promise.all([facade.close(), facade.close()]);
    await facade.close();
    const requests = [
      { operation: "session.create" },
      { operation: "session.create", idempotency_key: "k" },
      { operation: "system.describe" },
      CREATE,
    ];
    for (const request of requests) {
      const { status, error } = await facade.dispatch(request);
      expect([status, error?.code]).toEqual(["error", "NOT_AVAILABLE"]);
    }
    expect(() => facade.events("s")).toThrow(AcpNotAvailableError);
    expect(() => facade.registerService("tool_registry", { listTools: unused })).toThrow(
      AcpNotAvailableError,
    );
    expect(facade.listOperations()).toContain("plan.create");
  });

  test("has ended its plans, answered who waited for them, and removed its folder of sandboxes", async () => {
    await using project = await gitProject();
    const { facade, waiting, sandbox, isAborted } = await atWork({ projects: [project.path] });
    const home = join(sandbox, "../../../../../..");
    expect(home).toMatch(/acumen-[0-9A-Z]{26}$/);
    expect(await isThere(home)).toBe(true);
    await facade.close();
    expect(isAborted()).toBe(true);
    expect((await waiting).error?.code).toBe("NOT_AVAILABLE");
    expect(await isThere(home)).toBe(false);
  });

  test("has left nothing in a folder that it was given, nor a pin in the repository", async () => {
    await using project = await gitProject();
    await using home = await tempFolder("acumen-facade-home");
    const given = { projects: [project.path], home: home.path };
    const { facade, waiting, sandbox } = await atWork(given);
    const other = new GitSandboxes({ home: home.path, environment: { PATH: "/usr/bin:/bin" } });
    // The start of a database in the same folder, which knows nothing of this plan.
    await other.sweep(new Set());
    expect(await isThere(sandbox)).toBe(true);
    expect(project.git("for-each-ref", "refs/acumen")).not.toBe("");
    await facade.close();
    await waiting;
    expect(await readdir(home.join("ephemeral"))).toEqual([]);
    expect(project.git("for-each-ref", "refs/acumen")).toBe("");
  });

  test("has ended the subscriptions of its own queue", async () => {
    const facade = new AcpLocalFacade();
    const { data } = await facade.dispatch({ operation: "event.subscribe" });
    const types: string[] = [];
    const reading = (async () => {
      for await (const event of facade.events(data["subscription_id"] as string)) {
        types.push(event.event_type);
      }
    })();
    await vi.waitFor(() => expect(types).toEqual(["snapshot"]));
    await facade.close();
    await reading;
    expect(types.at(-1)).toBe("subscription.closed");
  });

  test("is closed at the end of its block", async () => {
    let kept: AcpLocalFacade;
    {
      await using facade = new AcpLocalFacade();
      kept = facade;
      expect((await facade.dispatch({ operation: "session.create" })).status).toBe("ok");
    }
    const { error } = await kept.dispatch({ operation: "session.create" });
    expect(error?.code).toBe("NOT_AVAILABLE");
  });
});

describe("what a facade was given stays as it is when it is closed", () => {
  test("a store and a folder, and the key of a request that was cut off", async () => {
    await using project = await gitProject();
    await using home = await tempFolder("acumen-facade-home");
    const store = new MemoryFacadeStore();
    const closed = vi.spyOn(store, "close");
    const given = { projects: [project.path], home: home.path, store };
    const { facade, waiting, params, sandbox } = await atWork(given);
    await facade.close();
    await waiting;
    expect(closed).not.toHaveBeenCalled();
    expect(await isThere(sandbox)).toBe(true);
    await using next = new AcpLocalFacade(given);
    const { data } = await next.dispatch({
      operation: "plan.status",
      params: { plan_id: params.plan_id },
    });
    expect(data).toMatchObject({ phase: "execute", state: "queued" });
    // Under the same key, other params are still noticed.
    const other = { ...params, wait: false };
    const { error } = await next.dispatch({
      operation: "plan.execute",
      idempotency_key: "k",
      params: other,
    });
    expect(error?.code).toBe("IDEMPOTENCY_MISMATCH");
  });

  test("a queue, with its store", async () => {
    const queue = new AcpEventQueue();
    const closed = vi.spyOn(queue.store, "close");
    const seen: string[] = [];
    queue.subscribeLocal(({ event_type: type }) => void seen.push(type));
    const facade = new AcpLocalFacade({ services: { event_queue: queue } });
    await facade.close();
    await queue.publish({ event_type: "x.after" });
    await vi.waitFor(() => expect(seen).toEqual(["x.after"]));
    expect(closed).not.toHaveBeenCalled();
    await queue.close();
  });

  test("a service, whatever it could close", async () => {
    const close = vi.fn<() => Promise<void>>();
    const services = {
      session_service: { create: unused, delete: unused, close },
      plan_lifecycle_service: {
        useAction: unused,
        executePlan: unused,
        getPlan: unused,
        applyPlan: unused,
        close,
      },
      tool_registry: { listTools: unused, close },
      context_service: { getContext: unused, close },
      action_registry: { atBase: unused, listActions: unused, close },
    };
    const facade = new AcpLocalFacade({ services });
    facade.registerService("resource_registry_service", {
      listResources: unused,
      close,
    } as never);
    await facade.close();
    expect(close).not.toHaveBeenCalled();
  });
});
