import {
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
import type { Wire, WireErrors } from "../wire.ts";
import { wireId } from "../wire-id.ts";
import { ResponseLedger } from "./response-ledger.ts";
import { validateResponsesCall } from "./validate.ts";
import { viewResponsesCall } from "./view.ts";
import { writeResponse } from "./write.ts";

const errors: WireErrors = {
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
          "Your input exceeds the context window of this model. Please adjust your input and try again.",
          { param: "input", code: "context_length_exceeded" },
        )
      : faultReply(fault, context),
  inStream: () => ({
    event: "error",
    data: {
      type: "error",
      sequence_number: 99,
      code: "server_error",
      message: "The server had an error while processing your request. Sorry about that!",
      param: null,
    },
    phase: "close",
  }),
};

/** OpenAI Responses (`POST /v1/responses`). */
export function createResponsesWire(): Wire {
  const ledger = new ResponseLedger();
  return {
    name: "openai-responses",
    basePath: "/v1",
    errors,
    route: (method, path) => {
      if (method === "POST" && path === "/v1/responses") return { kind: "generate" };
      return method === "GET" && path === "/v1/models" ? { kind: "models" } : undefined;
    },
    headers: () => ({ "x-request-id": wireId("req_"), "openai-version": "2020-10-01" }),
    keyOf: (headers) => bearerKey(headers.authorization),
    knows: isOpenAiModel,
    listModels: modelList,
    validate: (call, report) => validateResponsesCall(call, ledger, report),
    view: (call) => viewResponsesCall(call, ledger),
    write: (reply, call) => writeResponse(reply, call, ledger),
  };
}
