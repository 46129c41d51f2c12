import type { Wire } from "../wire.ts";
import { bearerKey } from "../openai/model-traits.ts";
import { wireId } from "../wire-id.ts";
import { anthropicErrors } from "./errors.ts";
import { isClaude } from "./model-traits.ts";
import { ThinkingLedger } from "./thinking-ledger.ts";
import { validateAnthropicCall } from "./validate.ts";
import { viewAnthropicCall } from "./view.ts";
import { writeMessage } from "./write.ts";

/** Anthropic Messages (`POST /v1/messages`). */
export function createAnthropicWire(): Wire {
  const ledger = new ThinkingLedger();
  return {
    name: "anthropic",
    basePath: "/v1",
    errors: anthropicErrors,
    route: (method, path) => {
      if (method === "POST" && path === "/v1/messages") return { kind: "generate" };
      return method === "GET" && path === "/v1/models" ? { kind: "models" } : undefined;
    },
    headers: () => ({ "request-id": wireId("req_") }),
    keyOf: (headers) => {
      const key = headers["x-api-key"];
      return (Array.isArray(key) ? key[0] : key) ?? bearerKey(headers.authorization);
    },
    knows: isClaude,
    listModels: (models) => ({
      data: models.map((id) => ({
        type: "model",
        id,
        display_name: id,
        created_at: "2026-01-01T00:00:00Z",
      })),
      has_more: false,
      first_id: models[0] ?? null,
      last_id: models.at(-1) ?? null,
    }),
    validate: (call, report) => validateAnthropicCall(call, ledger, report),
    view: viewAnthropicCall,
    write: (reply, call) => writeMessage(reply, call, ledger),
  };
}
