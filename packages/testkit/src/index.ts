// Adding a name here makes it public (for tests alone).
export { FakeClock } from "./fake-clock.ts";
export {
  MISBEHAVING_HTTP_MODES,
  type MisbehavingHttpMode,
  type MisbehavingHttpOptions,
  type SeenHttpRequest,
} from "./mcp/http-modes.ts";
export {
  type MisbehavingHttpServer,
  startMisbehavingHttpServer,
} from "./mcp/misbehaving-http-server.ts";
export {
  MISBEHAVING_MODES,
  type MisbehavingMode,
  type MisbehavingOptions,
  misbehavingServer,
} from "./mcp/misbehaving-server.ts";
export {
  childEnvironment,
  type ProcessExit,
  type StartOptions,
  startProcess,
  type TestProcess,
} from "./process-harness.ts";
export { type SelfSignedCertificate, selfSignedCertificate } from "./self-signed-certificate.ts";
export { type Command, sourceCommand } from "./source-command.ts";
export { type TempFolder, tempFolder } from "./temp-folder.ts";
export { type ModelServer, startModelServer } from "./wires/model-server.ts";
export type { ModelServerOptions } from "./wires/model-server-options.ts";
export {
  lastUserText,
  type NeutralMessage,
  type NeutralPart,
  type NeutralRequest,
  type NeutralResponseFormat,
  type NeutralTool,
} from "./wires/neutral-request.ts";
export type { RecordedRequest } from "./wires/recorded-request.ts";
export {
  FAULT_NAMES,
  type FaultName,
  type ModelFault,
  type ModelReply,
  type ModelScript,
  type ReplyToolCall,
  type ReplyUsage,
  type ScriptStep,
} from "./wires/script.ts";
export { WIRE_NAMES, type WireName } from "./wires/wire.ts";
