/** What the fourth act found out. */
export interface HostResult {
  /** Process ids of the agents that the editor started. */
  readonly pids: readonly number[];
  readonly exitCodes: readonly (number | null)[];
  /** Of the two prompts. */
  readonly stopReasons: readonly string[];
  /** Questions that the editor was asked; how many showed the change as a diff. */
  readonly permissions: { readonly asked: number; readonly withDiff: number };
  /** The call's updates, the question included, in order. */
  readonly callStates: readonly string[];
  /** The file holds the mended line. */
  readonly mended: boolean;
  /** The new process lists the session. */
  readonly listed: boolean;
  /** What was said and called, live and as the new process replays it. */
  readonly live: Transcript;
  readonly replayed: Transcript;
}

export interface Transcript {
  readonly prompts: readonly string[];
  /** Text of the agent. */
  readonly text: string;
  /** Id and last status of each call. */
  readonly calls: readonly string[];
}

const CALL_STATES = ["pending", "asked", "in_progress", "completed"];

/** Every check of the fourth act that failed, as sentences. */
export function hostFailures(result: HostResult): readonly string[] {
  const { pids, exitCodes, stopReasons, permissions, callStates, live, replayed } = result;
  const checks: readonly (readonly [boolean, string])[] = [
    [new Set(pids).size === 2, `the agents ran as the processes ${pids.join(", ")}`],
    [exitCodes.join() === "0,0", `the agents ended with ${exitCodes.join(", ")}`],
    [
      stopReasons.join() === "end_turn,cancelled",
      `the prompts were answered with ${stopReasons.join(", ")}`,
    ],
    [
      permissions.asked === 1 && permissions.withDiff === 1,
      `the editor was asked ${permissions.asked} times, with a diff ${permissions.withDiff} times`,
    ],
    [callStates.join() === CALL_STATES.join(), `the call went ${callStates.join(", ")}`],
    [result.mended, "the file was not mended"],
    [result.listed, "the new process does not list the session"],
    [live.calls.length === 1, `${live.calls.length} calls were announced`],
    ...differences(live, replayed),
  ];
  return checks.flatMap(([passed, text]) => (passed ? [] : [text]));
}

function differences(live: Transcript, replayed: Transcript): readonly [boolean, string][] {
  const names = ["prompts", "text", "calls"] as const;
  return names.map((name) => [
    JSON.stringify(live[name]) === JSON.stringify(replayed[name]),
    `the new process replays other ${name} than were live`,
  ]);
}
