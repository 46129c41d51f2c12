import { isReservedToolName } from "./reserved-names.ts";
import type { ToolSource } from "./tool-source.ts";
import type { Tool } from "./tool.ts";

/** Services refuse more. */
export const MAX_TOOLS = 128;

export interface ExposedTool {
  /** What the model calls it. */
  readonly exposedName: string;
  readonly tool: Tool;
}

interface Survey {
  /** What sources had to give. */
  readonly offered: readonly ExposedTool[];
  readonly tools: readonly ExposedTool[];
  readonly warnings: readonly string[];
}

export interface ToolRegistryOptions {
  readonly builtins: readonly Tool[];
  readonly sources?: readonly ToolSource[];
}

/** The tools of one session. Sources may change at any time, so the list is taken anew before each model call. */
export class ToolRegistry {
  readonly #builtins: readonly ExposedTool[];
  readonly #sources: readonly ToolSource[];
  #given: readonly ExposedTool[] | undefined;
  #last: Survey;

  constructor({ builtins, sources = [] }: ToolRegistryOptions) {
    this.#builtins = builtins.map((tool) => ({ exposedName: tool.name, tool }));
    this.#sources = sources;
    this.#last = this.#surveyOf([]);
  }

  /** Sorted by name (code units), so that the same tools make the same request. */
  current(): readonly ExposedTool[] {
    return this.#survey().tools;
  }

  /** Why tools of this moment are left out; empty when none is. */
  warnings(): readonly string[] {
    return this.#survey().warnings;
  }

  /** A model is given these: its calls go to them, whatever sources offer by then. */
  give(tools: readonly ExposedTool[]): void {
    this.#given = tools;
  }

  /** Routes a call; undefined: the model called something that it was not given. Before {@link give}: by the tools of this moment. */
  get(exposedName: string): Tool | undefined {
    const tools = this.#given ?? this.current();
    return tools.find((entry) => entry.exposedName === exposedName)?.tool;
  }

  /** Waits until the tools that can be there soon are there. */
  async ready(signal: AbortSignal): Promise<void> {
    await Promise.all(this.#sources.map((source) => source.ready(signal)));
  }

  /** Asks the source of a tool to leave it out from now on. False: it is built in, unknown, or its source cannot do that. */
  quarantine(exposedName: string, reason: string): boolean {
    return this.#sources.some((source) => source.quarantine?.(exposedName, reason) ?? false);
  }

  /** Why a tool that a model was given before is not there any more. Undefined: it was given none of this name. */
  explain(exposedName: string): string | undefined {
    for (const source of this.#sources) {
      const reason = source.explain?.(exposedName);
      if (reason !== undefined) return reason;
    }
    return undefined;
  }

  /** Closes every source, also when one fails. @throws AggregateError of what failed */
  async close(): Promise<void> {
    const results = await Promise.allSettled(this.#sources.map((source) => source.close()));
    const reasons = results.flatMap((result) =>
      result.status === "rejected" ? [result.reason as unknown] : [],
    );
    if (reasons.length > 0) {
      throw new AggregateError(reasons, `${reasons.length} tool source(s) could not be closed.`);
    }
  }

  #survey(): Survey {
    const offered = this.#sources.flatMap((source) => source.tools());
    const { offered: before } = this.#last;
    const isSame =
      offered.length === before.length && offered.every((tool, index) => tool === before[index]);
    if (!isSame) this.#last = this.#surveyOf(offered);
    return this.#last;
  }

  /** Built-in tools first, then sources in their order: a tool that comes later never takes a name away. */
  #surveyOf(offered: readonly ExposedTool[]): Survey {
    const tools = [...this.#builtins];
    const taken = new Set(tools.map(({ exposedName }) => exposedName.toLowerCase()));
    const warnings: string[] = [];
    const leftOut: string[] = [];
    for (const entry of offered) {
      const { exposedName } = entry;
      const name = exposedName.toLowerCase();
      if (isReservedToolName(exposedName) || taken.has(name)) {
        const owner = isReservedToolName(exposedName) ? "a built-in tool" : "an earlier tool";
        warnings.push(
          `The tool ${exposedName} of ${ownerOf(entry.tool)} is left out: its name belongs to ${owner}.`,
        );
      } else if (tools.length >= MAX_TOOLS) {
        leftOut.push(exposedName);
      } else {
        taken.add(name);
        tools.push(entry);
      }
    }
    if (leftOut.length > 0) warnings.push(tooMany(leftOut));
    return { offered, tools: tools.toSorted(byName), warnings };
  }
}

function byName(one: ExposedTool, other: ExposedTool): number {
  if (one.exposedName === other.exposedName) return 0;
  return one.exposedName < other.exposedName ? -1 : 1;
}

function ownerOf({ origin }: Tool): string {
  return origin.type === "mcp" ? `the server ${origin.server}` : "the product";
}

function tooMany(leftOut: readonly string[]): string {
  const shown = leftOut.slice(0, 5).join(", ");
  const more = leftOut.length > 5 ? ", …" : "";
  return `A model can be given ${MAX_TOOLS} tools; ${leftOut.length} are left out: ${shown}${more}. Switch off servers or tools that are not needed.`;
}
