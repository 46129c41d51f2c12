import { AcumenError } from "@acumen/core";
import {
  agent,
  type AgentConnection,
  type AgentRequestContext,
  type AgentRequestMethod,
  RequestError,
  type Stream,
} from "@agentclientprotocol/sdk";
import { requestError } from "./errors/request-errors.ts";
import { forgivingStream } from "./handlers/forgiving-stream.ts";
import { HostConnection } from "./handlers/host-connection.ts";
import { REQUEST_HANDLERS } from "./handlers/request-handlers.ts";
import { answeredToTheEnd } from "./handlers/last-answers.ts";
import type { RequestHandler, RequestHandlers } from "./handlers/request-scope.ts";
import type { AgentServerOptions } from "./server-options.ts";

/** Serves the Agent Client Protocol, version 1. Any number of connections share one agent. */
export class AcpAgentServer {
  readonly #options: AgentServerOptions;
  readonly #hosts = new Set<HostConnection>();

  constructor(options: AgentServerOptions) {
    this.#options = options;
  }

  /** Sessions that the host opens here end with the connection. */
  connect(stream: Stream): AgentConnection {
    const host = new HostConnection({
      ...this.#options,
      handlers: REQUEST_HANDLERS,
      client: () => connection.client,
      opened: () => this.#options.open(),
    });
    const app = agent({ name: this.#options.info.name });
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
          throw this.#wireError(error, method, params);
        }
      };
      app.onRequest(method, answer as never);
    }
    // After the requests: no cancel may overtake the prompt that it is meant for.
    app.onNotification("session/cancel", ({ params }) => host.cancel(params));
    const wire = answeredToTheEnd(forgivingStream(stream), () => host.cancelAll());
    const connection = app.connect(wire);
    this.#hosts.add(host);
    void connection.closed.then(async () => {
      await host.close();
      this.#hosts.delete(host);
    });
    return connection;
  }

  /** Closes the sessions of all connections. */
  async close(): Promise<void> {
    await Promise.all([...this.#hosts].map((host) => host.close()));
  }

  #wireError(error: unknown, method: string, params: object): Error {
    if (
      error instanceof Error &&
      !(error instanceof RequestError) &&
      !AcumenError.isInstance(error)
    ) {
      const { name, message: reason } = error;
      this.#options.logger?.error("a request failed inside", { method, name, reason });
    }
    return requestError(error, "sessionId" in params ? String(params.sessionId) : undefined);
  }
}
