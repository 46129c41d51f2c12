import type { AcumenError } from "@acumen/core";
import { modelFailureKind } from "@acumen/models";
import type { ExposedTool } from "../tools/tool-registry.ts";

/** Google counts inside of its one entry of `tools`, so these come before the others. */
const PLACES = [/function_declarations\[(\d+)\]/g, /\btools(?:\.|\[)(\d+)/g];
const QUOTE = "['\"`]";
const NAMES = [
  new RegExp(`\\b(?:function|tool)(?: ?declaration)? ${QUOTE}([\\w.:-]{1,128})${QUOTE}`, "gi"),
  new RegExp(`${QUOTE}([\\w.:-]{1,128})${QUOTE} function ?declaration`, "gi"),
];

/**
 * The tools that a service names when it refuses a request: by their place in what was sent, or by name. Only those of
 * servers: a built-in tool that is refused is a fault of the program.
 * @param sent in the order in which they were sent
 */
export function refusedTools(
  error: AcumenError,
  sent: readonly ExposedTool[],
): readonly ExposedTool[] {
  if (modelFailureKind(error) !== "bad_request") return [];
  const { message } = error;
  const places = PLACES.map((place) => captured(place, message).map(Number)).find(
    (found) => found.length > 0,
  );
  const names = NAMES.flatMap((name) => captured(name, message));
  return sent.filter(
    ({ exposedName, tool }, index) =>
      tool.origin.type === "mcp" && (places?.includes(index) || names.includes(exposedName)),
  );
}

function captured(pattern: RegExp, text: string): string[] {
  return [...text.matchAll(pattern)].flatMap(([, found]) => found ?? []);
}
