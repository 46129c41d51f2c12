import type { LanguageModelV3CallOptions } from "@ai-sdk/provider";
import type { AcumenError } from "@acumen/core";
import { modelFailureKind } from "../errors.ts";
import type { StructuredOutput } from "../providers/opened-model.ts";
import { WEAKER } from "./structured-output.ts";

/** What a service turned out not to take; learned from its refusals, per model. */
export interface Concessions {
  readonly structuredOutput: StructuredOutput;
  readonly noTemperature: boolean;
}

const TEMPERATURE = /temperature|sampling/i;
const FORMAT =
  /response_?format|json_?schema|structured output|output_config|responseschema|grammar|strict/i;

/** From the strongest to the weakest. */
const WAYS: readonly StructuredOutput[] = ["strict", "schema", "object", "prompt"];

/**
 * The simpler form in which a refused call may be made once more; undefined when the refusal is about something essential.
 * @param sent the form that was refused: what the model has learned since, from calls at the same time, is not to blame
 */
export function concede(
  call: LanguageModelV3CallOptions,
  error: AcumenError,
  sent: Concessions,
): Concessions | undefined {
  if (modelFailureKind(error) !== "bad_request" || error.details["status"] === undefined) return;
  if (call.temperature !== undefined && !sent.noTemperature && TEMPERATURE.test(error.message)) {
    return { ...sent, noTemperature: true };
  }
  const weaker = WEAKER[sent.structuredOutput];
  const asked = call.responseFormat?.type === "json" && weaker !== undefined;
  return asked && FORMAT.test(error.message) ? { ...sent, structuredOutput: weaker } : undefined;
}

/** What both leave out. The first one itself when the second adds nothing. */
export function united(known: Concessions, learned: Concessions): Concessions {
  const ranks = [known, learned].map(({ structuredOutput }) => WAYS.indexOf(structuredOutput));
  const structuredOutput = WAYS[Math.max(...ranks)] ?? "prompt";
  const noTemperature = known.noTemperature || learned.noTemperature;
  const isKnown =
    structuredOutput === known.structuredOutput && noTemperature === known.noTemperature;
  return isKnown ? known : { structuredOutput, noTemperature };
}
