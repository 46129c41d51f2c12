import type { AnyMessage, AuthMethod, InitializeResponse } from "@agentclientprotocol/sdk";
import { isJsonObject } from "@acumen/core";
import { clientFeatures } from "../client/client-features.ts";
import type { AgentServerOptions, HostFacts } from "../server-options.ts";
import { agentCapabilities } from "./agent-capabilities.ts";
import type { RequestHandlers } from "./request-scope.ts";

const PROTOCOL_VERSION = 1;
const LAST_VERSION = 65_535;
const LOGIN: AuthMethod = {
  type: "terminal",
  id: "acumen-setup",
  name: "Set up Acumen",
  description: "Stores the key of a model provider",
  args: ["--setup"],
};

/** An `initialize` that the protocol's schema takes. */
export interface Greeting {
  readonly id: number | string;
  /** The host has a terminal in which somebody can sign in. */
  readonly terminalAuth: boolean;
}

/**
 * The first message of a host, when it greets. Of `initialize` the schema demands the version alone and counts everything else that
 * is wrong as not said, so this needs no schema, which takes longer to load than a host should wait.
 * Undefined: anything else, which is for the protocol's library.
 */
export function greetingOf(message: AnyMessage): Greeting | undefined {
  if (!("method" in message) || message.method !== "initialize" || !("id" in message)) {
    return undefined;
  }
  const { id, params } = message;
  if ((typeof id !== "string" && typeof id !== "number") || !isJsonObject(params)) return undefined;
  const { protocolVersion: version } = params;
  if (!Number.isInteger(version) || Number(version) < 0 || Number(version) > LAST_VERSION) {
    return undefined;
  }
  return { id, terminalAuth: clientFeatures(params).terminalAuth };
}

/** The answer to `initialize`, the same as often as it is asked. */
export function initializeAnswer(
  info: AgentServerOptions["info"],
  facts: HostFacts,
  handlers: RequestHandlers,
  host: Pick<Greeting, "terminalAuth">,
): InitializeResponse {
  return {
    protocolVersion: PROTOCOL_VERSION,
    agentInfo: info,
    authMethods: authMethods(facts, handlers, host),
    agentCapabilities: agentCapabilities(handlers, facts),
  };
}

/** Ways to get the keys that are missing, as far as the host can go them. */
export function authMethods(
  { missingCredentials }: HostFacts,
  handlers: RequestHandlers,
  { terminalAuth }: Pick<Greeting, "terminalAuth">,
): AuthMethod[] {
  const canLogIn = handlers.authenticate !== undefined && terminalAuth;
  return missingCredentials !== undefined && canLogIn ? [LOGIN] : [];
}
