// Adding a name here makes it public. Importing this needs no MCP package; serving does.
export { type ConfigRow, CONFIG_ROWS, type McpServerConfig, parseConfig } from "./config.ts";
export { MCP_ERRORS, MCP_START_ERRORS, type McpErrorCode } from "./errors.ts";
export type { RunnerFactory, RunnerSettings, SessionRunner } from "./runner.ts";
export {
  packageVersion,
  type RunningServer,
  serve,
  type ServeOptions,
  serverFactory,
} from "./server.ts";
export { createService, type McpService } from "./service.ts";
export { TOOL_NAMES, type ToolName } from "./tool-names.ts";
