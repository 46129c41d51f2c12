import {
  chatStreamError,
  faultReply,
  invalidJson,
  missingKey,
  notFound,
  openAiError,
  rejected,
  unknownModel,
  wrongKey,
} from "../openai/errors.ts";
import { bearerKey, isOpenAiModel, modelList } from "../openai/model-traits.ts";
import type { Route, Wire, WireErrors } from "../wire.ts";
import { wireId } from "../wire-id.ts";
import { validateChatCall } from "./validate.ts";
import { viewChatCall } from "./view.ts";
import { writeChat } from "./write.ts";

export const chatErrors: WireErrors = {
  missingKey,
  wrongKey,
  unknownModel,
  notFound,
  invalidJson,
  rejected,
  fault: (fault, context) =>
    fault === "context-length"
      ? openAiError(
          400,
          "This model's maximum context length is 128000 tokens. However, your messages resulted in 200000 tokens. Please reduce the length of the messages.",
          { param: "messages", code: "context_length_exceeded" },
        )
      : faultReply(fault, context),
  inStream: chatStreamError,
};

export function chatRoute(method: string, path: string): Route | undefined {
  if (method === "POST" && path === "/v1/chat/completions") return { kind: "generate" };
  return method === "GET" && path === "/v1/models" ? { kind: "models" } : undefined;
}

/** OpenAI Chat Completions (`POST /v1/chat/completions`). */
export function createChatWire(): Wire {
  return {
    name: "openai-chat",
    basePath: "/v1",
    errors: chatErrors,
    route: chatRoute,
    headers: () => ({ "x-request-id": wireId("req_"), "openai-version": "2020-10-01" }),
    keyOf: (headers) => bearerKey(headers.authorization),
    knows: isOpenAiModel,
    listModels: modelList,
    validate: validateChatCall,
    view: viewChatCall,
    write: (reply, call) => writeChat(reply, call),
  };
}
