import { untilAborted } from "@acumen/core";
import { z } from "zod";
import type { QuestionGateway } from "../approval/approval-gateway.ts";
import { textBlock } from "../content/content-block.ts";
import { completed, defineTool } from "./define-tool.ts";
import type { Tool } from "./tool.ts";

const MAX_QUESTION_CHARS = 4000;
const MAX_OPTIONS = 10;
const MAX_OPTION_CHARS = 200;
const MAX_ANSWER_CHARS = 20_000;
const MAX_TITLE_CHARS = 80;

const schema = z.strictObject({
  question: z.string().trim().min(1).max(MAX_QUESTION_CHARS),
  options: z
    .array(z.string().trim().min(1).max(MAX_OPTION_CHARS))
    .max(MAX_OPTIONS)
    .exactOptional()
    .describe("Answers to choose from; the user may also answer freely."),
});

/** Asks the person; without one, the outcome says so and the turn ends. */
export function createAskUserTool(questions: QuestionGateway | undefined): Tool {
  return defineTool({
    name: "ask_user",
    description:
      "Ask the user one question and wait for the answer. Only for what you cannot find out yourself and cannot " +
      "sensibly decide: a choice between outcomes, a missing fact.",
    schema,
    kind: "other",
    risk: "read",
    prepare: ({ question, options = [] }) =>
      Promise.resolve({
        ok: true,
        preview: {
          title: titleOf(question),
          risk: "read",
          subject: { type: "none" },
          locations: [],
          diff: [],
        },
        run: async ({ sessionId, callId, signal }) => {
          const asked = { sessionId, callId, question, options };
          const answer =
            questions === undefined
              ? undefined
              : await untilAborted(questions.ask(asked, signal), signal);
          if (typeof answer === "string") return completed(textBlock(bounded(answer)));
          return {
            status: "failed",
            output: [
              textBlock(
                `${answer === undefined ? "Nobody is there to answer." : "The user declined to answer."} The question is kept for the user; stop here.`,
              ),
            ],
            unanswered: question,
          };
        },
      }),
  });
}

function titleOf(question: string): string {
  const [line = ""] = question.split("\n", 1);
  return line.length <= MAX_TITLE_CHARS ? line : `${line.slice(0, MAX_TITLE_CHARS - 1)}…`;
}

function bounded(answer: string): string {
  if (answer.trim() === "") return "(The user answered with an empty line.)";
  if (answer.length <= MAX_ANSWER_CHARS) return answer;
  return `${answer.slice(0, MAX_ANSWER_CHARS)}\n(${answer.length - MAX_ANSWER_CHARS} more characters were cut.)`;
}
