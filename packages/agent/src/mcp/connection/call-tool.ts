import { isJsonObject } from "@acumen/core";
import { nestsDeeper } from "../transports/nests-deeper.ts";
import type { Unanswered } from "./describe-answer.ts";
import type { CallAnswer, CallOptions } from "./mcp-connection.ts";
import type { RawRequests } from "./raw-requests.ts";

/** How far progress extends a call. */
const TOTAL_FACTOR = 10;
const MIN_TOTAL_MS = 600_000;
/** Of a result: whoever reads on takes the stack for it. */
const MAX_DEPTH = 200;

/**
 * Asks once and never again: a call may have had its effect, whatever was heard of it.
 * @throws the abort's error, after the server was told
 */
export async function callTool(
  requests: RawRequests,
  call: {
    readonly name: string;
    readonly args: Readonly<Record<string, unknown>>;
    readonly headers?: Readonly<Record<string, string>>;
  },
  options: CallOptions,
  described: (answer: Unanswered) => CallAnswer,
): Promise<CallAnswer> {
  const { signal, timeoutMs, onProgress } = options;
  const params = { name: call.name, arguments: call.args };
  const answer = await requests.request("tools/call", params, {
    signal,
    timeoutMs,
    totalMs: Math.max(timeoutMs * TOTAL_FACTOR, MIN_TOTAL_MS),
    // Also when nobody listens: without it the server sends no signs of life.
    onProgress: onProgress ?? (() => undefined),
    ...(call.headers && { headers: call.headers }),
  });
  if (answer.kind !== "result") return described(answer);
  const { result } = answer;
  if (!isJsonObject(result))
    return {
      ok: false,
      kind: "refused",
      mayHaveRun: true,
      message: "It answered with a result that is no object.",
    };
  if (nestsDeeper(result, MAX_DEPTH))
    return {
      ok: false,
      kind: "refused",
      mayHaveRun: true,
      message: `It answered with a result that nests deeper than ${MAX_DEPTH} levels. Ask for less of it.`,
    };
  if (result["resultType"] === "input_required")
    return {
      ok: false,
      kind: "refused",
      mayHaveRun: false,
      message: inputRefused(result["inputRequests"]),
    };
  return { ok: true, result };
}

function inputRefused(requests: unknown): string {
  const asked = isJsonObject(requests) ? Object.values(requests) : [];
  const methods = asked.map((request) => (isJsonObject(request) ? request["method"] : undefined));
  // Whole ones: whoever shows them hides secrets and cuts afterwards.
  const names = methods.filter((method) => typeof method === "string");
  const what = names.length > 0 ? ` (${[...new Set(names)].slice(0, 5).join(", ")})` : "";
  return `The tool asks for input before it goes on${what}; this client answers no such questions. Call it with arguments that need none, or do without it.`;
}
