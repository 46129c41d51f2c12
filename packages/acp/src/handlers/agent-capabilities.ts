import type { AgentCapabilities, AgentRequestMethod } from "@agentclientprotocol/sdk";
import type { HostFacts } from "../server-options.ts";
import type { RequestHandlers } from "./request-scope.ts";

/** What hosts are told that they can ask for: only what has a handler. */
export function agentCapabilities(
  handlers: RequestHandlers,
  { image }: Pick<HostFacts, "image">,
): AgentCapabilities {
  const has = (method: AgentRequestMethod): boolean => handlers[method] !== undefined;
  return {
    loadSession: has("session/load"),
    ...(has("session/prompt") && {
      promptCapabilities: { image, audio: false, embeddedContext: true },
    }),
    ...(has("session/new") && { mcpCapabilities: { http: true, sse: true } }),
    sessionCapabilities: {
      ...(has("session/list") && { list: {} }),
      ...(has("session/resume") && { resume: {} }),
      ...(has("session/close") && { close: {} }),
      ...(has("session/delete") && { delete: {} }),
      ...(has("session/new") && { additionalDirectories: {} }),
    },
    ...(has("logout") && { auth: { logout: {} } }),
  };
}
