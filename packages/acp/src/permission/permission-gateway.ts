import type {
  ApprovalAnswer,
  ApprovalGateway,
  ApprovalOption,
  ApprovalRequest,
  EventPayload,
} from "@acumen/agent";
import {
  type AgentContext,
  type PermissionOption,
  RequestError,
  type ToolCallUpdate,
} from "@agentclientprotocol/sdk";
import type { HostPaths } from "../client/host-paths.ts";
import { arrivalNumber } from "../handlers/arrival-number.ts";
import { diffContent, textContent, wireLocations } from "../mapping/tool-updates.ts";
import { fenced, sendable, shortened } from "../mapping/wire-text.ts";

/** What was announced of a call; undefined: nothing was. */
type CallLookup = (callId: string) => EventPayload<"TOOL_CALL"> | undefined;

const REQUEST_CANCELLED = -32_800;
const MAX_NAME_CHARS = 100;
const NAMES: Readonly<Record<ApprovalOption, string>> = {
  allow_once: "Allow once",
  allow_always: "Always allow",
  reject_once: "Reject",
  reject_always: "Always reject",
};

interface HostApprovalsOptions {
  /** Told of an answer that is `cancelled`, with its number among the host's messages. */
  readonly onCancelled?: (arrival: number | undefined) => void;
  /** What the host calls files and folders; default as they are. */
  readonly paths?: HostPaths;
}

/**
 * Asks the host about a call that it was told of. Its answer counts by the id of an option that it was given: another id is a
 * refusal. It waits as long as the host does, and no moment longer than the signal.
 * @param calls by their id: a permission names the same input and places as the call
 */
export function hostApprovals(
  client: Pick<AgentContext, "request">,
  calls: CallLookup,
  { onCancelled, paths }: HostApprovalsOptions = {},
): ApprovalGateway {
  const cancelled = (said: unknown): "cancelled" => {
    onCancelled?.(arrivalNumber(fieldsOf(said)));
    return "cancelled";
  };
  return {
    request: async (request, signal) => {
      if (signal.aborted) return "cancelled";
      const { sessionId, options } = request;
      const call = permissionCall(request, calls(request.callId));
      const params = sendable({
        sessionId,
        toolCall: paths === undefined ? call : paths.inCall(call),
        options: options.map((option) => permissionOption(option, request)),
      });
      try {
        const answer: unknown = await client.request("session/request_permission", params, {
          cancellationSignal: signal,
          stopWaitingOnCancel: true,
        });
        if (signal.aborted) return "cancelled";
        const said = answerOf(answer, options);
        return said === "cancelled" ? cancelled(answer) : said;
      } catch (error) {
        if (signal.aborted) return "cancelled";
        const { code, data } = fieldsOf(error);
        if (code === REQUEST_CANCELLED) return cancelled(data);
        throw error;
      }
    },
  };
}

/** @throws when it is no answer: the gate then says that the approval could not be obtained, and not that somebody refused */
function answerOf(answer: unknown, options: readonly ApprovalOption[]): ApprovalAnswer {
  const { outcome, optionId } = fieldsOf(fieldsOf(answer)["outcome"]);
  if (outcome === "cancelled") return "cancelled";
  if (outcome !== "selected" || typeof optionId !== "string") {
    throw RequestError.internalError(undefined, "The host's answer to a permission is none.");
  }
  return options.find((option) => option === optionId) ?? "reject_once";
}

/** Title, diff and command are shown with nothing hidden in them; the input is what the call was announced with. */
function permissionCall(
  request: ApprovalRequest,
  call: EventPayload<"TOOL_CALL"> | undefined,
): ToolCallUpdate {
  const { callId: toolCallId, title, tool, kind, diff } = request;
  return {
    toolCallId,
    title: title === "" ? tool : title,
    kind,
    status: "pending",
    content: [...diffContent(diff), textContent(explanation(request))],
    ...(call !== undefined && {
      name: call.exposed_name,
      rawInput: call.input,
      locations: wireLocations(call.locations),
    }),
  };
}

/** What the title and a diff do not say: the whole command, where it runs, what is touched, and why it is asked. */
function explanation(request: ApprovalRequest): string {
  const { command, cwd, background, paths, diff, input, reason, options, alwaysCovers } = request;
  const isCut = options.some((option) => nameOf(option, request).endsWith("…"));
  const saysAll = command !== undefined || diff.length > 0 || paths.length > 0;
  const verbatim = command ?? (saysAll ? "" : input);
  return [
    verbatim === "" ? "" : fenced(verbatim),
    cwd === undefined ? "" : `In ${cwd}${background === true ? ", in the background" : ""}.`,
    paths.length === 0 ? "" : `Files: ${paths.join(", ")}.`,
    reason,
    isCut ? `"Always" covers ${alwaysCovers}.` : "",
  ]
    .filter((line) => line !== "")
    .join("\n");
}

function permissionOption(option: ApprovalOption, request: ApprovalRequest): PermissionOption {
  return { optionId: option, name: nameOf(option, request), kind: option };
}

function nameOf(option: ApprovalOption, { alwaysCovers }: ApprovalRequest): string {
  const isAlways = option === "allow_always" || option === "reject_always";
  return shortened(isAlways ? `${NAMES[option]}: ${alwaysCovers}` : NAMES[option], MAX_NAME_CHARS);
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}
