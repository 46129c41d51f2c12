import { AcumenError } from "@acumen/core";
import {
  agent,
  type AgentRequestContext,
  type AgentRequestMethod,
  RequestError,
  type Stream,
} from "@agentclientprotocol/sdk";
import { requestError } from "../errors/request-errors.ts";
import type { AgentServerOptions, HostFacts } from "../server-options.ts";
import { HostConnection } from "./host-connection.ts";
import type { HostApp } from "./host-link.ts";
import { answeredToTheEnd } from "./last-answers.ts";
import { REQUEST_HANDLERS } from "./request-handlers.ts";
import type { RequestHandler, RequestHandlers } from "./request-scope.ts";

/**
 * Serves one host with the protocol's library. Sessions that the host opens end with the connection.
 * @param facts what the host was told already
 */
export function hostApp(
  stream: Stream,
  options: AgentServerOptions,
  facts: HostFacts | undefined,
): HostApp {
  const { info, logger } = options;
  const host = new HostConnection({
    ...options,
    handlers: REQUEST_HANDLERS,
    client: () => connection.client,
    opened: () => options.open(),
    ...(facts !== undefined && { facts }),
  });
  const app = agent({ name: info.name });
  const handlers: RequestHandlers = REQUEST_HANDLERS;
  for (const method of Object.keys(handlers) as AgentRequestMethod[]) {
    // Method and handler belong together, which is more than the type checker can follow here.
    const handler = handlers[method] as unknown as RequestHandler<never>;
    const answer = async (context: AgentRequestContext<object>): Promise<unknown> => {
      const { params, signal } = context;
      const scope = { connection: host, sessions: () => host.sessions, signal };
      try {
        return await handler(params as never, scope);
      } catch (error) {
        throw wireError(error, method, params, logger);
      }
    };
    app.onRequest(method, answer as never);
  }
  // After the requests: no cancel may overtake the prompt that it is meant for.
  app.onNotification("session/cancel", ({ params }) => host.cancel(params));
  const connection = app.connect(answeredToTheEnd(stream, () => host.cancelAll()));
  return {
    closed: connection.closed,
    close: () => connection.close(),
    closeSessions: () => host.close(),
  };
}

function wireError(
  error: unknown,
  method: string,
  params: object,
  logger: AgentServerOptions["logger"],
): Error {
  if (
    error instanceof Error &&
    !(error instanceof RequestError) &&
    !AcumenError.isInstance(error)
  ) {
    const { name, message: reason } = error;
    logger?.error("a request failed inside", { method, name, reason });
  }
  return requestError(error, "sessionId" in params ? String(params.sessionId) : undefined);
}
