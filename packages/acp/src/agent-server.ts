import { agent, type AgentConnection, RequestError, type Stream } from "@agentclientprotocol/sdk";
import { type ClientFeatures, clientFeatures } from "./client/client-features.ts";
import { requestError } from "./errors/request-errors.ts";
import type { AgentServerOptions, HostedAgent } from "./server-options.ts";
import { SessionGateway } from "./sessions/session-gateway.ts";

const PROTOCOL_VERSION = 1;

/** Serves the Agent Client Protocol, version 1. Any number of connections share one agent. */
export class AcpAgentServer {
  readonly #options: AgentServerOptions;
  readonly #gateways = new Set<SessionGateway>();
  #opened: Promise<HostedAgent> | undefined;

  constructor(options: AgentServerOptions) {
    this.#options = options;
  }

  /** Sessions that the host opens here end with the connection. */
  connect(stream: Stream): AgentConnection {
    const { info, greet } = this.#options;
    let gateway: SessionGateway | undefined;
    const initialized = (): SessionGateway => {
      if (gateway === undefined) throw RequestError.invalidRequest(undefined, "Initialize first");
      return gateway;
    };
    const connection = agent({ name: info.name })
      .onRequest("initialize", async ({ params, client }) => {
        gateway ??= this.#gateway(client, clientFeatures(params));
        const { image } = await greet();
        setTimeout(() => void this.#open().catch(() => undefined), 0);
        return {
          protocolVersion: PROTOCOL_VERSION,
          agentInfo: info,
          authMethods: [],
          agentCapabilities: { promptCapabilities: { image, embeddedContext: true } },
        };
      })
      .onRequest("session/new", ({ params }) => mapped(() => initialized().create(params)))
      .onRequest("session/prompt", ({ params, signal }) =>
        mapped(() => initialized().prompt(params, signal)),
      )
      .onNotification("session/cancel", ({ params }) => gateway?.cancel(params.sessionId))
      .connect(stream);
    void connection.closed.then(() => gateway?.close());
    return connection;
  }

  /** Closes the sessions of all connections. */
  async close(): Promise<void> {
    await Promise.all([...this.#gateways].map((gateway) => gateway.close()));
  }

  #gateway(client: AgentConnection["client"], features: ClientFeatures): SessionGateway {
    const gateway = new SessionGateway({ client, features, opened: () => this.#open() });
    this.#gateways.add(gateway);
    return gateway;
  }

  #open(): Promise<HostedAgent> {
    this.#opened ??= this.#options.open();
    return this.#opened;
  }
}

async function mapped<T>(work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw requestError(error);
  }
}
