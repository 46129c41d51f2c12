import type { Redactor } from "../redaction/redactor.ts";
import type { StepPart } from "./model-step.ts";

/**
 * The parts of an answer as they may be logged and sent back. A signature covers the words it came with, and services tie the
 * parts of an answer to each other: where a secret will be taken out of one of them, all of them go back as plain words.
 */
export function replayable<Part extends StepPart>(
  parts: readonly Part[],
  redact: Redactor,
): readonly Part[] {
  if (parts.every((part) => redact(wordsOf(part)) === wordsOf(part))) return parts;
  return parts.map((part) => {
    const { metadata: _signature, ...plain } = part;
    return plain as Part;
  });
}

function wordsOf(part: StepPart): string {
  return part.type === "message" ? part.text : part.input;
}
