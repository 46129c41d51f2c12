import { openAiError } from "../openai/errors.ts";
import { bearerKey, modelList } from "../openai/model-traits.ts";
import type { Wire, WireErrors } from "../wire.ts";
import { chatErrors, chatRoute } from "./chat-wire.ts";
import { validateCompatibleCall } from "./validate.ts";
import { viewChatCall } from "./view.ts";
import { writeChat } from "./write.ts";

/** Local servers name the remedy instead of an account page. */
const errors: WireErrors = {
  ...chatErrors,
  wrongKey: () => openAiError(401, "Unauthorized", { code: "invalid_api_key" }),
  missingKey: () => openAiError(401, "Unauthorized"),
  unknownModel: (model) =>
    openAiError(404, `model "${model}" not found, try pulling it first`, { type: "api_error" }),
  fault: (fault, context) => {
    if (fault === "401") return openAiError(401, "Unauthorized", { code: "invalid_api_key" });
    return chatErrors.fault(fault, context);
  },
};

/** The Chat wire of Ollama, LM Studio, vLLM and hosted imitations: a key only if the test sets one, any model, reasoning as text. */
export function createCompatibleWire(): Wire {
  return {
    name: "openai-compatible",
    basePath: "/v1",
    errors,
    route: chatRoute,
    headers: () => ({}),
    keyOf: (headers) => bearerKey(headers.authorization),
    knows: () => true,
    listModels: (models) => modelList(models, "library"),
    validate: validateCompatibleCall,
    view: viewChatCall,
    write: (reply, call) => writeChat(reply, call, "reasoning_content"),
  };
}
