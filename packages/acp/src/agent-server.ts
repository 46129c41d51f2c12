import type { Stream } from "@agentclientprotocol/sdk";
import { forgivingStream } from "./handlers/forgiving-stream.ts";
import { initializeAnswer } from "./handlers/greeting.ts";
import { HostLink } from "./handlers/host-link.ts";
import { REQUEST_HANDLERS } from "./handlers/request-handlers.ts";
import type { AgentServerOptions } from "./server-options.ts";

/** The connection to one host. */
export interface AgentConnection {
  /** Resolves when nothing comes or goes any more. */
  readonly closed: Promise<void>;
  close(): void;
}

/**
 * Serves the Agent Client Protocol, version 1. Any number of connections share one agent. The protocol's library and the sessions
 * are loaded when the first host has been greeted.
 */
export class AcpAgentServer {
  readonly #options: AgentServerOptions;
  readonly #hosts = new Set<HostLink>();

  constructor(options: AgentServerOptions) {
    this.#options = options;
  }

  /** Sessions that the host opens here end with the connection. */
  connect(stream: Stream): AgentConnection {
    const { info, greet } = this.#options;
    const host = new HostLink(forgivingStream(stream), {
      welcome: async (greeting) => {
        const facts = await greet();
        return { facts, result: initializeAnswer(info, facts, REQUEST_HANDLERS, greeting) };
      },
      load: async (link, facts) => {
        const { hostApp } = await import("./handlers/host-app.ts");
        return hostApp(link, this.#options, facts);
      },
    });
    this.#hosts.add(host);
    const left = async (): Promise<void> => {
      await host.closeSessions();
      this.#hosts.delete(host);
    };
    void host.closed.then(left, left);
    return host;
  }

  /** Closes the sessions of all connections. */
  async close(): Promise<void> {
    await Promise.all([...this.#hosts].map((host) => host.closeSessions()));
  }
}
