import type { QuarantinedTool } from "./mcp-status.ts";
import type { OfferedTools } from "./offered-tools.ts";

interface LeftOut {
  readonly server: string;
  readonly raw: string;
  readonly identity: string;
  readonly reason: string;
}

/** Tools that a model's service refused. One that its server changes is another tool, and is given again. */
export class QuarantineBook {
  readonly #tools = new Map<string, LeftOut>();

  add(tool: Omit<LeftOut, "reason">, reason: string): void {
    const { server, raw, identity } = tool;
    this.#tools.set(keyOf(server, raw), { server, raw, identity, reason });
  }

  has(server: string, raw: string, identity: string): boolean {
    return this.#tools.get(keyOf(server, raw))?.identity === identity;
  }

  /** What is left out of that which the server offers now, for one reason or another. */
  of(server: string, offered: OfferedTools | undefined): readonly QuarantinedTool[] {
    if (offered === undefined) return [];
    const refused = [...this.#tools.values()].filter(
      (tool) => tool.server === server && offered.get(tool.raw)?.identity === tool.identity,
    );
    return [...offered.quarantined, ...refused.map(({ raw: tool, reason }) => ({ tool, reason }))];
  }
}

function keyOf(server: string, raw: string): string {
  return JSON.stringify([server, raw]);
}
