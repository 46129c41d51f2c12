import { NO_USAGE } from "@acumen/models";
import type {
  ExecutionResult,
  ExecutorRun,
  PlanExecutor,
  StrategyResult,
} from "../../src/plans/plan-executor.ts";

type Work = (run: ExecutorRun) => Promise<void>;

/** Does what a test says, and notes what it was asked for. */
export class ScriptedExecutor implements PlanExecutor {
  strategy: Work = () => Promise.resolve();
  work: Work = () => Promise.resolve();
  /** `plan_id phase attempt`, as they began. */
  readonly begun: string[] = [];
  running = 0;
  most = 0;

  async strategize(run: ExecutorRun): Promise<StrategyResult> {
    await this.#counted(run, this.strategy);
    const steps = [{ content: "write the file", status: "pending" as const }];
    return { rationale: "Because it was asked for.", steps, usage: NO_USAGE };
  }

  async execute(run: ExecutorRun): Promise<ExecutionResult> {
    await this.#counted(run, this.work);
    return { summary: "Done.", usage: { inputTokens: 10, outputTokens: 2 } };
  }

  async #counted(run: ExecutorRun, work: Work): Promise<void> {
    const { plan_id, phase, attempt } = run.plan;
    this.begun.push(`${plan_id} ${phase} ${attempt}`);
    this.running += 1;
    this.most = Math.max(this.most, this.running);
    try {
      await work(run);
    } finally {
      this.running -= 1;
    }
  }
}

/** Resolves when the signal aborts, and rejects with its reason. */
export function untilStopped({ signal }: Pick<ExecutorRun, "signal">): Promise<void> {
  return new Promise((_resolve, reject) => {
    const stop = (): void => reject(signal.reason as Error);
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop, { once: true });
  });
}
