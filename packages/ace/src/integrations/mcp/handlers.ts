import { ask } from "./ask-handler.ts";
import type { Answer, CallContext, HandlerDeps } from "./call.ts";
import { mcpError } from "./errors.ts";
import { learnFeedback, learnSamples } from "./learn-handlers.ts";
import { createRequestParser, modelLimits, type RequestParser, REPLY_MODELS } from "./models.ts";
import type { Requests } from "./models.ts";
import { getSkillbook, loadBook, saveBook } from "./skillbook-handlers.ts";
import type { ToolName } from "./tool-names.ts";

type Handler<Tool extends ToolName> = (
  request: Requests[Tool],
  context: CallContext,
  deps: HandlerDeps,
) => Promise<Answer<Tool>>;

const HANDLERS: { readonly [Tool in ToolName]: Handler<Tool> } = {
  "ace.ask": ask,
  "ace.learn.sample": learnSamples,
  "ace.learn.feedback": learnFeedback,
  "ace.skillbook.get": getSkillbook,
  "ace.skillbook.save": saveBook,
  "ace.skillbook.load": loadBook,
};

const MUTATING: ReadonlySet<ToolName> = new Set([
  "ace.learn.sample",
  "ace.learn.feedback",
  "ace.skillbook.save",
  "ace.skillbook.load",
]);
const SAVE_LOAD: ReadonlySet<ToolName> = new Set(["ace.skillbook.save", "ace.skillbook.load"]);

/**
 * The tools behind the protocol. Checks come in one order for every tool: schema, safe mode, save/load switch, sizes and
 * model, path, session, lock; then the work.
 */
export class McpHandlers {
  readonly #deps: HandlerDeps;
  readonly #parser: RequestParser;

  constructor(deps: HandlerDeps) {
    this.#deps = deps;
    this.#parser = createRequestParser(modelLimits(deps.config));
  }

  /** Rejects with the error that `toEnvelope` maps for the client. */
  async call<Tool extends ToolName>(
    tool: Tool,
    args: unknown,
    context: CallContext,
  ): Promise<Answer<Tool>> {
    const request = this.#parser.parse(tool, args);
    this.#checkSwitches(tool);
    const answer = await HANDLERS[tool](request, context, this.#deps);
    REPLY_MODELS[tool].parse(answer.reply);
    return answer;
  }

  #checkSwitches(tool: ToolName): void {
    const { config } = this.#deps;
    if (config.safeMode && MUTATING.has(tool)) {
      throw mcpError(
        "ACE_MCP_FORBIDDEN_IN_SAFE_MODE",
        `${tool} is refused: this server runs in safe mode (ACE_MCP_SAFE_MODE=true). ace.ask and ace.skillbook.get work.`,
        { details: { tool_name: tool } },
      );
    }
    if (!config.allowSaveLoad && SAVE_LOAD.has(tool)) {
      throw mcpError(
        "ACE_MCP_SAVE_LOAD_DISABLED",
        `${tool} is refused: saving and loading are switched off on this server (ACE_MCP_ALLOW_SAVE_LOAD=false).`,
        { details: { tool_name: tool } },
      );
    }
  }
}
