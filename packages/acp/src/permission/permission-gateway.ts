import type {
  ApprovalAnswer,
  ApprovalGateway,
  ApprovalOption,
  ApprovalRequest,
} from "@acumen/agent";
import type { AgentContext, PermissionOption } from "@agentclientprotocol/sdk";
import { diffContent } from "../mapping/session-updates.ts";

const NAMES: Readonly<Record<ApprovalOption, string>> = {
  allow_once: "Allow",
  allow_always: "Always allow",
  reject_once: "Reject",
  reject_always: "Always reject",
};

/** Asks the host. Its answer counts by the id of the option alone: anything else is a refusal. */
export function hostApprovals(client: AgentContext): ApprovalGateway {
  return {
    request: async (request, signal) => {
      const { sessionId, callId: toolCallId, title, kind, diff, options } = request;
      try {
        const { outcome } = await client.request(
          "session/request_permission",
          {
            sessionId,
            toolCall: {
              toolCallId,
              title,
              kind,
              status: "pending",
              content: diffContent([...diff]),
            },
            options: options.map((option) => permissionOption(option, request)),
          },
          { cancellationSignal: signal, stopWaitingOnCancel: true },
        );
        if (signal.aborted || outcome.outcome === "cancelled") return "cancelled";
        return options.find((option) => option === outcome.optionId) ?? "reject_once";
      } catch {
        return signal.aborted ? "cancelled" : ("reject_once" satisfies ApprovalAnswer);
      }
    },
  };
}

function permissionOption(
  option: ApprovalOption,
  { alwaysCovers }: Pick<ApprovalRequest, "alwaysCovers">,
): PermissionOption {
  const name = option.endsWith("_always") ? `${NAMES[option]}: ${alwaysCovers}` : NAMES[option];
  return { optionId: option, name, kind: option };
}
