import type { TourResult } from "../../src/tour/tour-result.ts";

/** A tour that went well. */
export function exampleResult(): TourResult {
  const server = { name: "ace-mcp 0.1.0", pid: 4711, protocol: "2025-11-25", tools: 6 };
  return {
    overlap: 0.5625,
    seconds: 4.24,
    learning: {
      server,
      before: { correct: 0, total: 84, accuracy: 0 },
      after: { correct: 67, total: 84, accuracy: 0.797 },
      answers: ["gates", "apps"],
      majority: { correct: 12, total: 84, accuracy: 0.143 },
      shuffled: { correct: 13, total: 84, accuracy: 0.155 },
      lessons: {
        samples: 168,
        failed: 0,
        whileWorking: { correct: 20, total: 28, accuracy: 0.714 },
      },
      askMs: 1.234,
      savedSkills: 190,
    },
    restart: {
      server: { ...server, pid: 4712, protocol: "2026-07-28" },
      loadedSkills: 190,
      keptSkills: 190,
      identicalAnswers: 2,
      score: { correct: 67, total: 84, accuracy: 0.797 },
    },
    practice: {
      tests: {
        before: { exitCode: 1, passed: 1, failed: 1 },
        after: { exitCode: 0, passed: 2, failed: 0 },
      },
      session: {
        id: "01JNN000000000000000000001",
        stopReason: "end_turn",
        events: 31,
        gapFree: true,
        approved: 2,
        approvedChanges: 1,
        remembered: 1,
      },
      changedFiles: ["prices.mjs"],
      lesson: {
        proposed: 1,
        accepted: ["cases-00001"],
        absentBefore: true,
        next: {
          sessionId: "01JNN000000000000000000002",
          exitCode: 0,
          applied: ["cases-00001"],
          cited: ["cases-00001"],
          answer: "No.",
        },
      },
    },
    servers: {
      added: { server: "skills", state: "connected", tool_count: 6 },
      states: [
        { server: "skills", state: "connected", tool_count: 6 },
        { server: "skills", state: "paused", tool_count: 0 },
        { server: "skills", state: "connected", tool_count: 6 },
      ],
      changes: ["connecting", "connected", "paused", "connecting", "connected"],
      stopReasons: ["end_turn", "end_turn", "end_turn"],
      calls: { own: 2, server: 3 },
      refused: 1,
      approved: 2,
    },
    host: {
      pids: [4713, 4714],
      exitCodes: [0, 0],
      stopReasons: ["end_turn", "cancelled"],
      permissions: { asked: 1, withDiff: 1 },
      callStates: ["pending", "asked", "in_progress", "completed"],
      mended: true,
      listed: true,
      live: { prompts: ["Mend it."], text: "Mended.", calls: ["c1 completed"] },
      replayed: { prompts: ["Mend it."], text: "Mended.", calls: ["c1 completed"] },
    },
    plans: {
      pid: 4715,
      exitCode: 143,
      isolation: "bubblewrap",
      applied: {
        states: ["strategize/complete", "execute/complete", "apply/applied"],
        events: 24,
        afterReconnect: 9,
        unbroken: true,
        untouchedBefore: true,
        changedFiles: ["lockers.mjs"],
        merged: true,
      },
      constrained: { state: "apply/constrained", conflicts: ["lockers.mjs"], untouched: true },
    },
  };
}
