import type { AskResult, FeedbackReport, LearnReport } from "../../../../src/runner/reports.ts";
import type { RunnerFactory, SessionRunner } from "../../../../src/integrations/mcp/runner.ts";
import type { Skillbook } from "../../../../src/skillbook/skillbook.ts";

export const askResult: AskResult = {
  interactionId: "interaction-1",
  answer: "42",
  reasoning: "",
  skillIds: [],
  skillCount: 3,
};

export const feedbackReport: FeedbackReport = {
  matchedInteraction: true,
  skillCountBefore: 0,
  skillCountAfter: 0,
  newSkillCount: 0,
};

export const learnReport: LearnReport = {
  results: [],
  processed: 1,
  failed: 0,
  skillCountBefore: 0,
  skillCountAfter: 0,
  newSkillCount: 0,
  aborted: false,
  warnings: [],
};

export type Call =
  | { readonly method: "build"; readonly settings: unknown }
  | { readonly method: "ask"; readonly args: readonly unknown[] }
  | { readonly method: "learn"; readonly args: readonly unknown[] }
  | { readonly method: "learnFromFeedback"; readonly args: readonly unknown[] };

export interface StubFactory {
  readonly create: RunnerFactory;
  readonly calls: Call[];
  readonly count: (method: Call["method"]) => number;
}

type Behaviour = (book: Skillbook) => Partial<SessionRunner>;

/** A runner factory that records its calls and answers with constants, unless a behaviour says otherwise. */
export function stubFactory(behaviour: Behaviour = () => ({})): StubFactory {
  const calls: Call[] = [];
  const create: RunnerFactory = async (settings, { skillbook }) => {
    calls.push({ method: "build", settings });
    const own = behaviour(skillbook);
    return {
      ask: async (...args) => {
        calls.push({ method: "ask", args });
        return own.ask ? await own.ask(...args) : askResult;
      },
      learn: async (...args) => {
        calls.push({ method: "learn", args });
        return own.learn ? await own.learn(...args) : learnReport;
      },
      learnFromFeedback: async (...args) => {
        calls.push({ method: "learnFromFeedback", args });
        return own.learnFromFeedback ? await own.learnFromFeedback(...args) : feedbackReport;
      },
    };
  };
  const count = (method: Call["method"]): number =>
    calls.filter((call) => call.method === method).length;
  return { create, calls, count };
}

/** ADD operations, so that a book has something in it. */
export function addSkills(book: Skillbook, ...contents: readonly string[]): void {
  book.apply(contents.map((content) => ({ type: "ADD", section: "general", content })));
}

/** Settles when the signal aborts, as a well-behaved model call does. */
export async function untilAbort(signal: AbortSignal | undefined): Promise<never> {
  return await new Promise<never>((_resolve, reject) => {
    const stop = (): void => reject(new Error("aborted"));
    if (signal?.aborted) stop();
    else signal?.addEventListener("abort", stop, { once: true });
  });
}
