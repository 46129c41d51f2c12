import { isAbsolute } from "node:path";
import { agentError } from "../errors.ts";
import type { CodingAgentOptions } from "./agent-options.ts";
import { CodingAgent } from "./coding-agent.ts";

/** Makes a coding agent from what its process brings; the one place that checks it. */
export class CodingAgentBuilder {
  readonly #options: CodingAgentOptions;

  constructor(options: CodingAgentOptions) {
    this.#options = options;
  }

  /** @throws AGENT_WORKSPACE_INVALID when the home folder is not given as an absolute path */
  build(): CodingAgent {
    const { home } = this.#options;
    if (!isAbsolute(home)) {
      throw agentError(
        "AGENT_WORKSPACE_INVALID",
        `The home folder ${home} is not given as an absolute path.`,
        { details: { path: home } },
      );
    }
    return new CodingAgent(this.#options);
  }
}
