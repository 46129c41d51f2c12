import { type Logger, silentLogger } from "@acumen/core";
import { NO_USAGE } from "@acumen/models";
import { tempFolder } from "@acumen/testkit";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { JsonObject, JsonValue } from "../../src/envelope/json-value.ts";
import { PlanError } from "../../src/errors/domain-error.ts";
import type { ExecutorRun, PlanExecutor } from "../../src/plans/plan-executor.ts";
import type { SandboxRef } from "../../src/sandbox/sandboxes.ts";
import { gitProjectIn } from "./git-project.ts";
import { type HttpAnswer, HttpBench } from "./http-bench.ts";
import { PlanBench } from "./plan-bench.ts";
import type { KnownValues } from "./schema-arbitrary.ts";
import { untilStopped } from "./scripted-executor.ts";

/** What a plan's prompt makes of its execution. */
type Outcome = "work" | "fail" | "ask" | "clash" | "hang";

const CALL_ID = "call-1";
export const FUZZ_LIMITS = { mutationsPerSecond: 1e9, mutationBurst: 1e9, inFlight: 30 };
/** Plans of a kind, so that requests of one operation do not use up those of another. */
const OF_A_KIND = 6;
/** Each of them keeps one of four workers until it is answered. */
const ASKING = 3;

export interface FuzzBench extends AsyncDisposable {
  readonly http: HttpBench;
  /** Causes of internal errors, which only the log tells. */
  readonly faults: readonly string[];
  /** Values for the params of any operation. */
  readonly known: KnownValues;
  /** And those that let one operation do something. */
  readonly knownOf: Readonly<Record<string, KnownValues>>;
}

/**
 * A server whose plans stand at every kind of point.
 * @param kind `memory`: copies are maps; `git`: a real repository with real clones
 */
export async function fuzzBench(kind: "memory" | "git"): Promise<FuzzBench> {
  const folder = await tempFolder("acumen-fuzz");
  gitProjectIn(folder.path);
  const faults: string[] = [];
  const http = await (kind === "git" ? onGit : inMemory)(folder.path, {
    ...silentLogger,
    error: (message, { cause } = {}) =>
      void faults.push(`${message}: ${cause instanceof Error ? cause.stack : String(cause)}`),
  });
  const plans = await plansAt(http);
  const target = await http.send({
    operation: "plan.diff",
    params: { plan_id: plans.complete[0] ?? "", format: "full" },
  });
  const sessions = await sessionsOf(http);
  const subscription = await sent(http, "event.subscribe", { types: ["plan.*"] });
  const another = await sent(http, "event.subscribe", {});
  const digests = await Promise.all(
    plans.complete.map(
      async (id) => (await sent(http, "plan.diff", { plan_id: id })).changeset_digest,
    ),
  );
  const page = async (operation: string, params: JsonObject = {}): Promise<JsonValue> =>
    (await sent(http, operation, { limit: 1, ...params }))["next_cursor"] ?? "";
  const { ready, complete, reverted, errored, asking, constrained, ended } = plans;
  const all = Object.values(plans).flat();
  const { mergeable } = target.body.data as { readonly mergeable?: JsonObject };
  return {
    http,
    faults,
    known: {
      plan_id: all,
      session_id: sessions,
      subscription_id: [another["subscription_id"] ?? ""],
      action_name: ["builtin/task"],
      actor_name: ["builtin/agent"],
      types: [["plan.*"], ["*"]],
      arguments: ["work", "fail", "clash"].map((prompt) => ({ prompt })),
      project: [folder.path],
      strategy_model: ["openai/gpt-5-mini"],
      execution_model: ["openai/gpt-5-mini"],
      call_id: [CALL_ID],
      expected_digest: digests.map((each) => each ?? ""),
      expected_target_head: [mergeable?.["target_head"] ?? ""],
      paths: [["new.txt"], ["shared.txt"]],
      after: [0, 1, 10],
      expected_version: [1, 2, 3, 4, 5, 6],
    },
    knownOf: {
      "plan.execute": { plan_id: ready },
      "plan.apply": { plan_id: complete },
      "plan.retry": { plan_id: errored },
      "plan.revert": { plan_id: [...reverted, ...constrained] },
      "plan.cancel": { plan_id: ended },
      "context.get": {
        pinned: [[], ["README.md"]],
        include: [["**"], ["*.md"]],
        exclude: [["*.lock"]],
        budget_tokens: [12_000],
        reserve_tokens: [0, 100],
        query: ["shop"],
        plan_id: complete,
        session_id: sessions,
      },
      "approval.respond": { plan_id: asking },
      "plan.list": { cursor: [await page("plan.list")] },
      "session.list": { cursor: [await page("session.list")] },
      "action.list": { cursor: [await page("action.list")] },
      "registry.list_tools": { cursor: [await page("registry.list_tools")] },
      "registry.list_resources": { cursor: [await page("registry.list_resources")] },
      "event.unsubscribe": { subscription_id: [subscription["subscription_id"] ?? ""] },
    },
    [Symbol.asyncDispose]: async () => {
      await http[Symbol.asyncDispose]();
      await folder.remove();
    },
  };
}

async function inMemory(path: string, logger: Logger): Promise<HttpBench> {
  const write = (sandbox: SandboxRef, file: string, text: string): void =>
    plans.sandboxes.write(sandbox, file, text);
  const plans: PlanBench = new PlanBench({
    executor: executorWith(async (sandbox, file, text) => write(sandbox, file, text)),
    projects: [{ path, name: "local/shop", kind: "git-checkout", trusted: true }],
  });
  return HttpBench.start({
    store: plans.store,
    queue: plans.queue,
    projects: [path],
    logger,
    limits: FUZZ_LIMITS,
    services: { plan_lifecycle_service: plans.plans },
  });
}

function onGit(path: string, logger: Logger): Promise<HttpBench> {
  const executor = executorWith((sandbox, file, text) => writeFile(join(sandbox.path, file), text));
  return HttpBench.start({
    projects: [path],
    logger,
    limits: FUZZ_LIMITS,
    services: { plan_executor: executor },
  });
}

type Write = (sandbox: SandboxRef, file: string, text: string) => Promise<void>;

function executorWith(write: Write): PlanExecutor {
  return {
    strategize: () =>
      Promise.resolve({
        rationale: "As it was asked for.",
        steps: [{ content: "do it", status: "pending" }],
        usage: NO_USAGE,
      }),
    execute: async (run) => {
      await BY_PROMPT[String(run.plan.arguments["prompt"] as string) as Outcome]?.(run, write);
      await write(run.sandbox, "new.txt", "new\n");
      return { summary: "Done.", usage: NO_USAGE };
    },
  };
}

const BY_PROMPT: Readonly<Record<Outcome, (run: ExecutorRun, write: Write) => Promise<unknown>>> = {
  work: () => Promise.resolve(),
  fail: () => Promise.reject(new PlanError("The work failed, as it was asked to.")),
  ask: (run) =>
    run.approve({
      call_id: CALL_ID,
      tool: "builtin/bash",
      title: "make",
      command: "make",
      paths: [],
      input: "{}",
      reason: "It is a command.",
      options: ["allow_once", "allow_always", "reject_once"],
    }),
  clash: ({ plan, sandbox }, write) => write(sandbox, "shared.txt", `${plan.plan_id}\n`),
  hang: (run) => untilStopped(run),
};

async function plansAt(http: HttpBench) {
  const many = (outcome: Outcome, count = OF_A_KIND): Promise<readonly string[]> =>
    inTurn(count, async () => {
      const data = { action_name: "builtin/task", arguments: { prompt: outcome } };
      return String((await sent(http, "plan.create", data))["plan_id"] as string);
    });
  const executed = async (ids: readonly string[], until: readonly string[]): Promise<void> => {
    for (const id of ids) await sent(http, "plan.execute", { plan_id: id });
    for (const id of ids) await reached(http, id, until);
  };
  const [ready, complete, reverted, errored, asking, clashing, ended] = [
    await many("work"),
    await many("work"),
    await many("work"),
    await many("fail"),
    await many("ask", ASKING),
    await many("clash", OF_A_KIND + 1),
    await many("work"),
  ];
  await executed([...complete, ...reverted, ...clashing], ["complete"]);
  await executed(errored, ["errored"]);
  for (const id of clashing) await sent(http, "plan.apply", { plan_id: id });
  const [applied = "", ...constrained] = clashing;
  for (const id of constrained) await reached(http, id, ["constrained"]);
  await executed(asking, ["approval.respond"]);
  return { ready, complete, reverted, errored, asking, constrained, ended, applied: [applied] };
}

async function sessionsOf(http: HttpBench): Promise<readonly string[]> {
  const ids = await inTurn(4, async () =>
    String((await sent(http, "session.create", {}))["session_id"] as string),
  );
  await sent(http, "session.close", { session_id: ids[0] ?? "" });
  return ids;
}

async function inTurn<T>(count: number, make: () => Promise<T>): Promise<readonly T[]> {
  const made: T[] = [];
  while (made.length < count) made.push(await make());
  return made;
}

/** Its state, or what it waits for, is one of these. */
async function reached(http: HttpBench, id: string, wanted: readonly string[]): Promise<void> {
  for (;;) {
    const { state, waiting_for: waits } = await sent(http, "plan.status", { plan_id: id });
    if ([state, waits].some((each) => wanted.includes(String(each as string)))) return;
    if (state === "errored") throw new Error(`The plan ${id} failed.`);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}

async function sent(http: HttpBench, operation: string, params: JsonObject) {
  const { body }: HttpAnswer = await http.send({ operation, params });
  if (body.error !== null) throw new Error(`${operation}: ${JSON.stringify(body.error)}`);
  return body.data as JsonObject & { readonly changeset_digest?: JsonValue };
}
