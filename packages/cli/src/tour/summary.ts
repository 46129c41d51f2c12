import { gainPoints } from "./accuracy.ts";
import type { Dataset } from "./dataset.ts";
import type { TestRun } from "./practice/practice-repository.ts";
import type { HostResult } from "./host/host-result.ts";
import { isLeftOut, type LeftOut, type PlansResult } from "./plans/plans-result.ts";
import type { PracticeResult } from "./practice/practice-result.ts";
import type { ServersResult } from "./servers/servers-result.ts";
import type { TourResult } from "./tour-result.ts";

/**
 * The result as one JSON object for machines: accuracies and overlap 0 … 1, gains in percentage points, times in the unit of
 * their name.
 */
export function summaryOf(
  { learn, heldOut, queues }: Dataset,
  { learning, restart, practice, servers, host, plans, overlap, seconds }: TourResult,
  failures: readonly string[],
): Readonly<Record<string, unknown>> {
  const { before, after, majority, shuffled, lessons } = learning;
  return {
    type: "result",
    command: "tour",
    passed: failures.length === 0,
    failures,
    seconds: rounded(seconds, 1),
    tickets: {
      learned: learn.length,
      held_out: heldOut.length,
      queues: queues.length,
      max_word_overlap: rounded(overlap, 3),
    },
    accuracy: {
      before: rounded(before.accuracy, 3),
      after: rounded(after.accuracy, 3),
      majority_class: rounded(majority.accuracy, 3),
      shuffled_labels: rounded(shuffled.accuracy, 3),
      before_feedback: rounded(lessons.whileWorking.accuracy, 3),
      after_restart: rounded(restart.score.accuracy, 3),
    },
    gain_points: {
      over_majority_class: gainPoints(after, majority),
      over_shuffled_labels: gainPoints(after, shuffled),
    },
    failed_samples: lessons.failed,
    skills: {
      saved: learning.savedSkills,
      loaded: restart.loadedSkills,
      unchanged: restart.keptSkills,
    },
    answers: { compared: learning.answers.length, identical: restart.identicalAnswers },
    ask_ms_median: rounded(learning.askMs, 2),
    servers: [learning.server, restart.server],
    coding_agent: practiceSummary(practice),
    mcp_servers: serversSummary(servers),
    editor: hostSummary(host),
    plans: plansSummary(plans),
  };
}

function rounded(value: number, decimals: number): number {
  return Number(value.toFixed(decimals));
}

function practiceSummary({ tests, session, changedFiles, lesson }: PracticeResult): object {
  const { sessionId, exitCode, applied, cited } = lesson.next;
  const testsOf = ({ exitCode: code, passed, failed }: TestRun): object => ({
    exit_code: code,
    passed,
    failed,
  });
  return {
    tests: { before: testsOf(tests.before), after: testsOf(tests.after) },
    changed_files: changedFiles,
    session: {
      session_id: session.id,
      stop_reason: session.stopReason,
      events: session.events,
      gap_free: session.gapFree,
      approved: session.approved,
      approved_changes: session.approvedChanges,
      remembered: session.remembered,
    },
    skills: {
      proposed: lesson.proposed,
      accepted: lesson.accepted,
      absent_before_review: lesson.absentBefore,
    },
    next_session: { session_id: sessionId ?? null, exit_code: exitCode, applied, cited },
  };
}

function serversSummary(result: ServersResult): object {
  const { added, states, changes, stopReasons, calls, refused, approved } = result;
  return {
    added: added?.state ?? null,
    tools: added?.tool_count ?? 0,
    states: states.map(({ state }) => state),
    changes,
    stop_reasons: stopReasons,
    calls,
    refused,
    approved,
  };
}

function hostSummary({ live, replayed, ...facts }: HostResult): object {
  return {
    pids: facts.pids,
    exit_codes: facts.exitCodes,
    stop_reasons: facts.stopReasons,
    permissions: { asked: facts.permissions.asked, with_diff: facts.permissions.withDiff },
    call_states: facts.callStates,
    mended: facts.mended,
    listed: facts.listed,
    prompts: live.prompts.length,
    replayed_prompts: replayed.prompts.length,
    replayed_calls: replayed.calls.length,
  };
}

function plansSummary(plans: PlansResult | LeftOut): object {
  if (isLeftOut(plans)) return { left_out: plans.leftOut };
  const { pid, exitCode, isolation, applied, constrained } = plans;
  return {
    pid,
    exit_code: exitCode,
    isolation,
    states: applied.states,
    events: applied.events,
    events_after_reconnect: applied.afterReconnect,
    events_unbroken: applied.unbroken,
    untouched_before_apply: applied.untouchedBefore,
    changed_files: applied.changedFiles,
    merged: applied.merged,
    second: { ...constrained },
  };
}
