// Adding a name here makes it public.
export { AcpAgentServer, type AgentConnection } from "./agent-server.ts";
export type {
  AgentServerOptions,
  HostedAgent,
  HostFacts,
  ModelChoice,
  SessionChoice,
} from "./server-options.ts";
export { stdioStream } from "./transport/stdio.ts";
