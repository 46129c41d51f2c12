import type { StopReason } from "@acumen/agent";
import { FAULTY_FILE, type TestRun } from "./practice-repository.ts";

/** What the second act found out. */
export interface PracticeResult {
  /** Of the repository, run by the tour itself. */
  readonly tests: { readonly before: TestRun; readonly after: TestRun };
  readonly session: SessionFacts;
  /** Files of the repository that the session changed. */
  readonly changedFiles: readonly string[];
  readonly lesson: LessonFacts;
}

/** The session that mends the code. */
export interface SessionFacts {
  readonly id: string;
  readonly stopReason: StopReason;
  readonly events: number;
  /** The numbers of the stored events are 1, 2, 3 … */
  readonly gapFree: boolean;
  /** Calls that a person was asked about, and those among them that changed files. */
  readonly approved: number;
  readonly approvedChanges: number;
  /** Calls that ran because the same was allowed before. */
  readonly remembered: number;
}

/** From the rating to the next session. */
export interface LessonFacts {
  /** Proposals that the rated turn led to. */
  readonly proposed: number;
  /** Ids in the skillbook, after the review. */
  readonly accepted: readonly string[];
  /** Before the review the next session's prompt held no skill: its script refused to go on. */
  readonly absentBefore: boolean;
  readonly next: {
    readonly sessionId: string | undefined;
    /** Of the process `acumen run`. */
    readonly exitCode: number;
    /** Ids that SKILLS_APPLIED names. */
    readonly applied: readonly string[];
    /** Ids that the answer cites. */
    readonly cited: readonly string[];
    readonly answer: string;
  };
}

/** Every check of the second act that failed, as sentences. */
export function practiceFailures({
  tests,
  session,
  changedFiles,
  lesson,
}: PracticeResult): readonly string[] {
  const { before, after } = tests;
  const [skill] = lesson.accepted;
  const { next } = lesson;
  const checks: readonly (readonly [boolean, string])[] = [
    [
      before.exitCode !== 0 && before.failed === 1,
      `the test should fail before the session, and ${before.failed} failed`,
    ],
    [
      after.exitCode === 0 && after.failed === 0 && after.passed === before.passed + before.failed,
      `after the session ${after.failed} tests fail and ${after.passed} pass`,
    ],
    [
      changedFiles.length === 1 && changedFiles[0] === FAULTY_FILE,
      `the session changed ${changedFiles.join(", ") || "no file"}, not ${FAULTY_FILE} alone`,
    ],
    [session.stopReason === "end_turn", `the turn ended with ${session.stopReason}`],
    [session.gapFree, "the numbers of the stored events have gaps"],
    [
      session.approved >= 2 && session.approvedChanges === 1,
      `${session.approved} calls were asked for, ${session.approvedChanges} of them changes`,
    ],
    [session.remembered >= 1, "an answer for the whole session was not remembered"],
    [lesson.proposed === 1, `the rating led to ${lesson.proposed} proposals, one is expected`],
    [lesson.accepted.length === 1, `${lesson.accepted.length} skills were accepted`],
    [lesson.absentBefore, "a session before the review was not stopped for want of the skill"],
    [next.exitCode === 0, `the next session ended with exit code ${next.exitCode}`],
    [
      skill !== undefined && next.applied.includes(skill),
      "the accepted skill does not stand in the prompt of the next session",
    ],
  ];
  return checks.flatMap(([passed, text]) => (passed ? [] : [text]));
}
