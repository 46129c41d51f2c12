import { createRedactor, type DefinedMcpServer, visibleLine } from "@acumen/agent";

const MAX_CHARS = 500;

/** Where a server is, without what lets one in: no arguments, no variables, no user, no query; its own values hidden elsewhere too. */
export function shownLocation({ definition, secrets }: DefinedMcpServer): string {
  if (definition === undefined) return "";
  const redact = createRedactor(secrets);
  if (definition.transport === "stdio") return short(redact(`stdio:${definition.command}`));
  if (!URL.canParse(definition.url)) return `${definition.transport}:`;
  const { protocol, host, pathname } = new URL(definition.url);
  return short(redact(`${protocol}//${host}${pathname}`));
}

function short(text: string): string {
  return visibleLine(text).slice(0, MAX_CHARS);
}
