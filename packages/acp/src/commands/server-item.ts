import type { McpServerStatus } from "@acumen/agent";
import { count } from "./answer-text.ts";
import type { CommandRoom } from "./host-command.ts";

const NAMED = 20;

/** A server in one sentence, and what there is to say of its tools. */
export function serverItem(
  status: McpServerStatus,
  say: CommandRoom["say"],
): readonly [text: string, below: readonly string[]] {
  const { server, state, transport, tool_count: tools, reason, conflicts, quarantined } = status;
  const { source } = status;
  const facts = [
    state,
    ...(transport === null ? [] : [transport]),
    ...(state === "connected" || tools > 0 ? [count(tools, "tool")] : []),
    source === "host" ? "brought by the host" : "defined on this machine",
  ];
  const why = reason === undefined ? "" : `. ${say.prose(reason)}`;
  const remarks = [
    // What was rejected stands in the reason.
    ...conflicts
      .filter(({ resolution }) => resolution !== "rejected")
      .map(
        ({ tool, owner, resolution }) =>
          `The name ${say.code(tool)} is taken (${say.prose(owner)}); the tool is called ${say.code(resolution)}.`,
      ),
    ...quarantined.map(
      ({ tool, reason: cause }) => `${say.code(tool)} is left out: ${say.prose(cause)}`,
    ),
  ];
  const more = remarks.length - NAMED;
  return [
    `${say.code(server)}: ${facts.join(", ")}${why}`,
    [...remarks.slice(0, NAMED), ...(more > 0 ? [`and ${more} more`] : [])],
  ];
}
