import { throwIfAborted } from "@acumen/core";
import type { McpServerDefinition } from "../config/server-definition.ts";
import type { OpenedTransport, TransportContext } from "./opened-transport.ts";
import { openRemoteTransport } from "./remote-transport.ts";
import { StdioTransport } from "./stdio-transport.ts";

/**
 * Prepares the way to a server; the SDK's client starts it.
 * @throws the abort's error, nothing else: whatever stands in the way is said by the start and by `ended`
 */
export async function openTransport(
  definition: McpServerDefinition,
  context: TransportContext,
): Promise<OpenedTransport> {
  throwIfAborted(context.signal);
  // Much to load for sessions without servers.
  const sdk = await import("@modelcontextprotocol/client");
  throwIfAborted(context.signal);
  if (definition.transport !== "stdio") return openRemoteTransport(definition, context, sdk);
  const transport = new StdioTransport(definition, context, sdk);
  return {
    transport,
    ended: transport.ended,
    stderrTail: () => transport.stderrTail(),
    skippedTail: () => transport.skippedTail(),
    lastFailure: () => undefined,
    lastStatus: () => undefined,
    close: () => transport.close(),
  };
}
