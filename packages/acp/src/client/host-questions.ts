import type { Declined, QuestionGateway } from "@acumen/agent";
import { abortError, isJsonObject } from "@acumen/core";
import type { AgentContext, ElicitationSchema } from "@agentclientprotocol/sdk";
import type { ClientFeatures } from "./client-features.ts";
import { refusalOf } from "./client-refusal.ts";

interface HostQuestionsOptions {
  readonly client: AgentContext;
  readonly sessionId: () => string;
  readonly features: Pick<ClientFeatures, "formElicitation">;
  /** Aborted when the session is closed: nothing new is asked for. */
  readonly ended?: AbortSignal;
}

/** Asks the person in a form of the host; undefined: it has no forms. A person may take as long as they like. */
export function hostQuestions(options: HostQuestionsOptions): QuestionGateway | undefined {
  const { client, sessionId, features, ended } = options;
  if (!features.formElicitation) return undefined;
  let usable = true;
  return {
    ask: async ({ callId: toolCallId, question: message, options: choices }, signal) => {
      if (!usable || ended?.aborted === true) return undefined;
      try {
        const answer = await client.request<unknown>(
          "elicitation/create",
          {
            mode: "form",
            sessionId: sessionId(),
            toolCallId,
            message,
            requestedSchema: formOf(choices),
          },
          { cancellationSignal: signal, stopWaitingOnCancel: true },
        );
        return answerOf(answer);
      } catch (error) {
        if (signal.aborted) throw abortError(signal);
        const refusal = refusalOf(error);
        if (refusal.type === "refused" && refusal.unknownMethod) usable = false;
        return undefined;
      }
    },
  };
}

/** Options are offered, and something else can be said. */
function formOf(options: readonly string[]): ElicitationSchema {
  const choices = [...new Set(options)];
  if (choices.length === 0) {
    const answer = { type: "string" as const, title: "Answer" };
    return { type: "object", properties: { answer }, required: ["answer"] };
  }
  return {
    type: "object",
    properties: {
      choice: { type: "string", title: "Choice", enum: choices },
      answer: { type: "string", title: "Or in your own words" },
    },
  };
}

/** Undefined: the person gave none. */
function answerOf(answer: unknown): Declined | string | undefined {
  if (isJsonObject(answer) && answer["action"] === "decline") return { declined: true };
  if (!isJsonObject(answer) || answer["action"] !== "accept") return undefined;
  const content = isJsonObject(answer["content"]) ? answer["content"] : {};
  const said = [content["choice"], content["answer"]]
    .filter((value) => typeof value === "string" || typeof value === "number")
    .map((value) => String(value).trim());
  return [...new Set(said)].filter((text) => text !== "").join("\n");
}
