import { mcpError } from "./errors.ts";
import { redact } from "./redact.ts";

/**
 * Refuses model ids that a wire may not name: scripted and recorded models belong to the starting process alone (they name files), and
 * `ACE_MCP_ALLOWED_MODELS` limits the rest.
 * @throws ACE_MCP_VALIDATION_ERROR with field and model
 */
export function checkWireModel(
  model: string | undefined,
  allowed: readonly string[] | undefined,
): void {
  if (model === undefined) return;
  if (/^\s*(?:scripted|recorded)(?:\/|$)/i.test(model)) {
    throw refused(
      model,
      "scripted and recorded models can be chosen by the process that starts the server alone",
    );
  }
  if (allowed !== undefined && !allowed.some((glob) => matchesGlob(model, glob)))
    throw refused(model, `ACE_MCP_ALLOWED_MODELS allows ${allowed.join(", ")}`);
}

function refused(model: string, reason: string): Error {
  const shown = redact(model).slice(0, 200);
  return mcpError(
    "ACE_MCP_VALIDATION_ERROR",
    `The model ${shown} cannot be used here: ${reason}. Leave session_config.model out for the server's default.`,
    { details: { field: "session_config.model", model: shown } },
  );
}

/** `*` stands for any text; everything else counts literally. Walked by parts: a regex of many stars could take for ever. */
export function matchesGlob(text: string, glob: string): boolean {
  const parts = glob.split("*");
  const [first = "", ...rest] = parts;
  const last = rest.pop();
  if (last === undefined) return text === glob;
  if (!text.startsWith(first) || !text.endsWith(last)) return false;
  let from = first.length;
  for (const part of rest) {
    const at = text.indexOf(part, from);
    if (at < 0) return false;
    from = at + part.length;
  }
  return from <= text.length - last.length;
}
