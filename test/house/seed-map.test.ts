import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";

const root = new URL("../../", import.meta.url);

/** Names of the orchestrators' protocol: operations, keys, classes, methods, fields, codes. */
const COMMUNICATION_NAMES = [
  "session.create session.close plan.create plan.execute plan.status plan.diff plan.apply registry.list_tools registry.list_resources context.get event.subscribe",
  "session_service plan_lifecycle_service tool_registry resource_registry_service event_queue",
  "create(actor_name=…) delete(session_id) use_action(…) execute_plan(plan_id) get_plan(plan_id) apply_plan(plan_id)",
  "list_tools(namespace=…) list_resources(type_name=…) subscribe_local(cb) SessionService PlanLifecycleService ToolRegistry ResourceRegistryService",
  "AcpLocalFacade dispatch(request) register_service list_operations AcpHttpTransport send(request) connect(url) disconnect() is_connected()",
  "AcpEventQueue publish(event) unsubscribe(id) get_events(limit) subscribe_remote(ep) AcpVersionNegotiator AcpRequest AcpResponse AcpErrorDetail AcpEvent",
  "acp_version request_id operation params auth status data error timing_ms code message details event_id event_type plan_id timestamp",
  "NOT_FOUND VALIDATION_ERROR PLAN_ERROR INVALID_STATE AUTH_ERROR FORBIDDEN CONFIGURATION_ERROR INTERNAL_ERROR map_domain_error()",
  "ResourceNotFoundError ValidationError PlanError BusinessRuleViolation AuthenticationError AuthorizationError ConfigurationError",
  "CleverAgentsError AcpError AcpNotAvailableError AcpVersionMismatchError AcpOperationNotFoundError",
].flatMap((line) => line.split(" "));

/** Every name that the two seed documents of the MCP server give to something, and what is built of the others. */
const SEED_NAMES = [
  ...COMMUNICATION_NAMES,
  ..."ace.ask ace.learn.sample ace.learn.feedback ace.skillbook.get ace.skillbook.save ace.skillbook.load".split(
    " ",
  ),
  ..."server.py registry.py config.py errors.py models.py handlers.py adapters.py __init__.py".split(
    " ",
  ),
  ..."test_ace_mcp_models.py test_ace_mcp_registry.py test_ace_mcp_handlers.py test_ace_mcp_server.py".split(
    " ",
  ),
  ..."docs/integrations/mcp.md mcp-client-setup.md mcp_client_demo.py contracts/tool-schemas.md".split(
    " ",
  ),
  ..."create_server() main() ace-mcp MCPServerConfig SessionRegistry MCPHandlers ACEMCPError ACELiteLLM".split(
    " ",
  ),
  ..."from_model from_roles ask() EvaluateStep learn_from_feedback".split(" "),
  ..."default_model safe_mode max_samples_per_call max_prompt_chars session_ttl_seconds allow_save_load".split(
    " ",
  ),
  ..."learn_timeout_seconds skillbook_root log_level".split(" "),
  ..."DEFAULT_MODEL SAFE_MODE MAX_SAMPLES_PER_CALL MAX_PROMPT_CHARS SESSION_TTL_SECONDS ALLOW_SAVE_LOAD LEARN_TIMEOUT_SECONDS SKILLBOOK_ROOT LOG_LEVEL"
    .split(" ")
    .map((name) => `ACE_MCP_${name}`),
  ..."VALIDATION_ERROR SESSION_NOT_FOUND FORBIDDEN_IN_SAFE_MODE SAVE_LOAD_DISABLED PROVIDER_ERROR TIMEOUT INTERNAL_ERROR"
    .split(" ")
    .map((name) => `ACE_MCP_${name}`),
  ...Array.from({ length: 10 }, (_, index) => `FR-${String(index + 1).padStart(3, "0")}`),
  ...Array.from({ length: 4 }, (_, index) => `NFR-${String(index + 1).padStart(3, "0")}`),
  ..."CodingAgentBuilder CodingSession HeadlessCodingSessionRuntime toolRegistry toolExecutor Tool.Function".split(
    " ",
  ),
  ..."CliMcpConfigManager CliMcpRuntimeManager CliResolvedMcpConfig CliResolvedMcpServer CliMcpConnectionHandle".split(
    " ",
  ),
  ..."McpToolDefinition connected disabled paused error missing".split(" "),
  ..."PermissionGateway CliToolApprovalDecorator bash read_file write_file apply_patch".split(" "),
  ..."AcpJsonRpcServer AcpCodingCliAgentFactory AcpToolApprovalDecorator initialize session/new session/load".split(
    " ",
  ),
  ..."session/list session/prompt session/set_mode session/set_config_option session/cancel session/request_permission".split(
    " ",
  ),
  ..."USER_MESSAGE ASSISTANT_MESSAGE TOOL_CALL TOOL_RESULT AUTO_CONTINUE AUTO_STOP BLOCKED COMPACT ERROR".split(
    " ",
  ),
];

interface SchemaNode {
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly items?: SchemaNode;
}

function fieldNames(node: SchemaNode): string[] {
  const own = Object.entries(node.properties ?? {}).flatMap(([name, child]) => [
    name,
    ...fieldNames(child),
  ]);
  return [...own, ...(node.items ? fieldNames(node.items) : [])];
}

const schemas = JSON.parse(
  await readFile(new URL("packages/ace/src/integrations/mcp/tool-schemas.json", root), "utf8"),
) as { tools: Record<string, { request: SchemaNode; response: SchemaNode }>; error: SchemaNode };
const FIELDS = [
  ...Object.values(schemas.tools).flatMap(({ request, response }) => [
    ...fieldNames(request),
    ...fieldNames(response),
  ]),
  ...fieldNames(schemas.error),
];

const page = await readFile(new URL("docs/seed-map.md", root), "utf8");
const rows = page
  .split("\n")
  .map((line) => /^\| (?<seed>.+) \| `(?<here>[^|]+)` \| `(?<file>[^`|]+)` \|$/.exec(line)?.groups)
  .filter((groups) => groups !== undefined);

describe("docs/seed-map.md", () => {
  it("holds every name of the seeds", () => {
    const named = new Set(
      rows.flatMap((row) =>
        [...(row["seed"] ?? "").matchAll(/`([^`]+)`/g)].map((match) => match[1]),
      ),
    );
    expect([...SEED_NAMES, ...FIELDS].filter((name) => !named.has(name))).toEqual([]);
  });

  it.each(rows.map((row) => [row["seed"] ?? "", row["here"] ?? "", row["file"] ?? ""]))(
    "%s is %s in %s",
    async (_seed, here, file) => {
      expect(await readFile(new URL(file, root), "utf8")).toContain(here);
    },
  );
});
