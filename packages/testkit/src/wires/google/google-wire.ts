import type { Route, Wire } from "../wire.ts";
import { CallLedger } from "./call-ledger.ts";
import { googleErrors } from "./errors.ts";
import { isGoogleModel } from "./model-traits.ts";
import { validateGoogleCall } from "./validate.ts";
import { viewGoogleCall } from "./view.ts";
import { writeCandidate } from "./write.ts";

const GENERATE = /^\/v1beta\/models\/([^/:]+):(generateContent|streamGenerateContent)$/;

function route(method: string, path: string): Route | undefined {
  if (method === "GET" && path === "/v1beta/models") return { kind: "models" };
  const [, model, verb] = GENERATE.exec(path) ?? [];
  if (method !== "POST" || model === undefined) return undefined;
  return {
    kind: "generate",
    model: decodeURIComponent(model),
    stream: verb === "streamGenerateContent",
  };
}

/** Google `generateContent` and `streamGenerateContent?alt=sse` (Gemini API, v1beta). */
export function createGoogleWire(): Wire {
  const ledger = new CallLedger();
  return {
    name: "google",
    basePath: "/v1beta",
    errors: googleErrors,
    route,
    headers: () => ({ "server-timing": "gfet4t7; dur=1" }),
    keyOf: (headers, query) => {
      const key = headers["x-goog-api-key"];
      return (Array.isArray(key) ? key[0] : key) ?? query.get("key") ?? undefined;
    },
    knows: isGoogleModel,
    listModels: (models) => ({
      models: models.map((id) => ({
        name: `models/${id}`,
        displayName: id,
        supportedGenerationMethods: ["generateContent"],
      })),
    }),
    validate: (call, report) => validateGoogleCall(call, ledger, report),
    view: viewGoogleCall,
    write: (reply, call) => writeCandidate(reply, call, ledger),
  };
}
