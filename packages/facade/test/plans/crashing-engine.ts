import { writeSync } from "node:fs";
import { callerOf } from "../support/plan-bench.ts";
import { type EngineOptions, openEngine } from "./real-engine.ts";

/**
 * Makes, executes and applies one plan in a process of its own, which kills itself at the n-th moment that is passed (0: never, and the
 * number of moments is told). What was acknowledged stands on stdout, one line each.
 */
const [text = "{}", killAt = "0"] = process.argv.slice(2);
const options = JSON.parse(text) as Omit<EngineOptions, "passed">;
const say = (line: string): void => void writeSync(1, `${line}\n`);
let moments = 0;
const passed = (moment: string): void => {
  moments += 1;
  if (moments !== Number(killAt)) return;
  say(`killed at ${moment}`);
  process.kill(process.pid, "SIGKILL");
};

const engine = await openEngine({ ...options, passed });
const { plans } = engine;
await plans.start();
const { plan_id: id } = await plans.useAction(
  { action_name: "builtin/task", arguments: { prompt: "write" } },
  callerOf(),
);
say(`acknowledged create ${id}`);
await plans.executePlan(id, { retry: false, waitMs: 30_000 }, callerOf());
say("acknowledged execute");
const request = { expected_digest: null, expected_target_head: null, message: null };
await plans.applyPlan(id, { ...request, waitMs: 30_000, dryRun: false }, callerOf());
say("acknowledged apply");
await engine.close();
say(`moments ${moments}`);
