import { vi } from "vitest";
import { ACP_ERROR_CODES, type AcpErrorCode } from "../../src/envelope/acp-error-detail.ts";
import { FUZZ_LIMITS, type FuzzBench } from "./fuzz-bench.ts";
import { HttpBench } from "./http-bench.ts";

/**
 * All that requests alone can lead to. Not PLAN_ERROR, which is a plan's own failure; CONFIGURATION_ERROR, which is the server's; and
 * INTERNAL_ERROR, which is nobody's right.
 */
export const FUZZ_CODES: readonly string[] = ACP_ERROR_CODES.filter(
  (code) => !["PLAN_ERROR", "CONFIGURATION_ERROR", "INTERNAL_ERROR"].includes(code),
).toSorted();

const CREATE = { operation: "plan.create", params: { action_name: "builtin/task" } };

/** Codes of answers that chance does not lead to: too much, too long, too many, nobody there. */
export async function provokedCodes({ http }: FuzzBench): Promise<readonly AcpErrorCode[]> {
  const large = await http.send("x".repeat(1024 * 1024 + 1));
  const hang = { ...CREATE, params: { ...CREATE.params, arguments: { prompt: "hang" } } };
  const made = await http.send({ ...hang });
  const id = made.body.data["plan_id"];
  const waiting = { operation: "plan.execute", params: { plan_id: id, wait: true } };
  const late = await http.send({ ...waiting, deadline_ms: 100 });
  const many = await busy(http, { ...waiting, deadline_ms: 1_000 });
  await http.send({ operation: "plan.cancel", params: { plan_id: id } });
  await using bare = await HttpBench.start({
    services: { session_service: { create: nobody, delete: nobody } },
  });
  const missing = await bare.send({ operation: "session.list" });
  return [large, late, ...many, missing].flatMap(({ body }) => body.error?.code ?? []);
}

/** As many requests as one token may have at once, and one more. */
async function busy(http: HttpBench, request: object) {
  const waiting = Array.from({ length: FUZZ_LIMITS.inFlight }, () => http.send(request));
  const more = await vi.waitFor(async () => {
    const answer = await http.send({ operation: "system.describe" });
    if (answer.status === 200) throw new Error("There is still room.");
    return answer;
  });
  await Promise.all(waiting);
  return [more];
}

function nobody(): Promise<never> {
  return Promise.reject(new Error("unused"));
}
