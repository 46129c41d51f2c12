import { AcumenError } from "@acumen/core";
import { agentError } from "../errors.ts";
import type { EventDraft } from "../events/session-event.ts";
import type { ExposedTool, ToolRegistry } from "../tools/tool-registry.ts";
import { refusedTools } from "./refused-tools.ts";
import { errorPayload } from "./turn-failure.ts";

/** Of one step: a service that refuses more has another reason. */
const MAX_TOOLS_LEFT_OUT = 3;

/** Leaves out tools that the model's service refuses, so that one bad schema does not end the session. */
export class ToolQuarantine {
  readonly #registry: ToolRegistry;
  readonly #record: (draft: EventDraft) => Promise<unknown>;
  #left = MAX_TOOLS_LEFT_OUT;

  constructor(registry: ToolRegistry, record: (draft: EventDraft) => Promise<unknown>) {
    this.#registry = registry;
    this.#record = record;
  }

  beginStep(): void {
    this.#left = MAX_TOOLS_LEFT_OUT;
  }

  /**
   * True: a tool that the refusal names is left out from now on, and the request can be made again.
   * @param sent the tools of the refused request, in their order
   */
  async leaveOut(error: unknown, sent: readonly ExposedTool[], attempt: number): Promise<boolean> {
    if (!AcumenError.isInstance(error)) return false;
    const named = refusedTools(error, sent).slice(0, this.#left);
    let done = false;
    for (const { exposedName, tool } of named) {
      if (!this.#registry.quarantine(exposedName, error.message)) continue;
      this.#left -= 1;
      done = true;
      const server = tool.origin.type === "mcp" ? tool.origin.server : "";
      const refusal = agentError(
        "AGENT_TOOL_REFUSED",
        `The tool ${exposedName} of the server ${server} is left out of this session, because the model's service refuses it. ${error.message}`,
      );
      const payload = { ...errorPayload(refusal, attempt), source: "mcp" as const };
      await this.#record({ type: "ERROR", payload });
    }
    return done;
  }
}
