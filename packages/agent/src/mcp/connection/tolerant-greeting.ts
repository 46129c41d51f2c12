import { isJsonObject } from "@acumen/core";

/**
 * The answer to `initialize` as the SDK takes it: fields that are null or of another kind than they should be are left out, and a
 * server need not say who it is.
 */
export function tolerantGreeting(result: Record<string, unknown>): Record<string, unknown> {
  const { protocolVersion, capabilities, serverInfo, instructions } = result;
  const about = isJsonObject(serverInfo) ? serverInfo : {};
  return {
    protocolVersion,
    capabilities: toolsOnly(capabilities),
    serverInfo: { name: textOr(about["name"], "unnamed"), version: textOr(about["version"], "0") },
    ...(typeof instructions === "string" && { instructions }),
  };
}

/** Nothing else of them is looked at. */
function toolsOnly(capabilities: unknown): Readonly<Record<string, unknown>> {
  const tools = isJsonObject(capabilities) ? capabilities["tools"] : undefined;
  return tools === undefined || tools === null ? {} : { tools: {} };
}

function textOr(value: unknown, fallback: string): string {
  return typeof value === "string" && value !== "" ? value : fallback;
}
