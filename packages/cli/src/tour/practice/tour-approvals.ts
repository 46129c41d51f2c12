import type { ApprovalGateway, ApprovalRequest, ApprovalAnswer } from "@acumen/agent";
import { FAULTY_FILE, TEST_COMMAND } from "./practice-repository.ts";

/** Somebody has to say yes: the tour does, and to nothing but what its task needs. */
export function tourApprovals(
  onAnswer: (request: ApprovalRequest, answer: ApprovalAnswer) => void,
): ApprovalGateway {
  return {
    request: (request) => {
      const answer = answerTo(request);
      onAnswer(request, answer);
      return Promise.resolve(answer);
    },
  };
}

function answerTo({ tool, command, paths }: ApprovalRequest): ApprovalAnswer {
  if (tool === "bash") return command === TEST_COMMAND ? "allow_always" : "reject_once";
  const isTask = paths.length === 1 && paths[0]?.endsWith(`/${FAULTY_FILE}`) === true;
  return tool === "apply_patch" && isTask ? "allow_once" : "reject_once";
}
