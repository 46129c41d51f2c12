// Adding a name here makes it public.
export { AcpAgentServer } from "./agent-server.ts";
export { HOST_UPDATE_ROWS } from "./mapping/event-rows.ts";
export type {
  AgentServerOptions,
  HostedAgent,
  HostFacts,
  ModelChoice,
  SessionChoice,
} from "./server-options.ts";
export { stdioStream } from "./transport/stdio.ts";
