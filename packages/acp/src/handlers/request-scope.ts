import type {
  AgentRequestMethod,
  AgentRequestParamsByMethod,
  AgentRequestResponsesByMethod,
  MaybePromise,
} from "@agentclientprotocol/sdk";
import type { SessionGateway } from "../sessions/session-gateway.ts";
import type { HostConnection } from "./host-connection.ts";

/** What a handler works with. */
export interface RequestScope {
  readonly connection: HostConnection;
  /** @throws RequestError before `initialize` */
  readonly sessions: () => SessionGateway;
  /** Of this request: it was cancelled, or the connection has ended. */
  readonly signal: AbortSignal;
}

export type RequestHandler<Method extends AgentRequestMethod> = (
  params: AgentRequestParamsByMethod[Method],
  scope: RequestScope,
) => MaybePromise<AgentRequestResponsesByMethod[Method]>;

/** A method without a handler does not exist for hosts: neither an answer nor a capability names it. */
export type RequestHandlers = {
  readonly [Method in AgentRequestMethod]?: RequestHandler<Method>;
};
