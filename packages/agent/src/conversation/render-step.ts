import { callInput, callResult } from "./call-result.ts";
import { callName, isOwn } from "./call-names.ts";
import { wellFormed, withoutMiddle } from "./data-text.ts";
import { type Call, callsOf, type SaidEvent, type StepEntry } from "./history.ts";
import type {
  AssistantPart,
  ModelMessage,
  ProviderOptions,
  RenderOptions,
  UserPart,
} from "./model-parts.ts";

/**
 * One model call: what it said as an assistant message, the results as a tool message, and images of results as a user
 * message. Nothing when it said nothing that can be sent.
 */
export function renderStep(
  entry: StepEntry,
  ids: ReadonlyMap<Call, string>,
  options: RenderOptions,
): ModelMessage[] {
  const parts = entry.parts.flatMap((part): AssistantPart[] =>
    "event" in part ? [callPart(part, ids, options)] : saidPart(part, options),
  );
  const content = withoutTrailingThoughts(parts);
  if (!content.some(isSubstantial)) return [];
  const calls = callsOf([entry]);
  if (calls.length === 0) return [{ role: "assistant", content }];
  const results = calls.map((call) => ({
    id: ids.get(call) ?? call.event.payload.call_id,
    name: callName(call.event.payload.exposed_name),
    ...callResult(call, options),
  }));
  const images = results.flatMap(({ id, name, images: shown }) =>
    shown.flatMap(({ mediaType, data }, index): UserPart[] => [
      { type: "text", text: `[Image ${index + 1} of the result of ${name}, call ${id}]` },
      { type: "file", mediaType, data },
    ]),
  );
  return [
    { role: "assistant", content },
    {
      role: "tool",
      content: results.map(({ id: toolCallId, name: toolName, output }) => ({
        type: "tool-result",
        toolCallId,
        toolName,
        output,
      })),
    },
    ...(images.length === 0 ? [] : [{ role: "user" as const, content: images }]),
  ];
}

function callPart(
  call: Call,
  ids: ReadonlyMap<Call, string>,
  { target, maxChars }: RenderOptions,
): AssistantPart {
  const { payload } = call.event;
  const own = isOwn(payload, target);
  return {
    type: "tool-call",
    toolCallId: ids.get(call) ?? payload.call_id,
    toolName: callName(payload.exposed_name),
    input: callInput(payload.input, maxChars),
    ...(own && optionsOf(payload.provider_metadata)),
  };
}

/** Thoughts belong to the model that had them; their signatures cover their text, so it goes back as it came. */
function saidPart({ payload }: SaidEvent, { target, maxChars }: RenderOptions): AssistantPart[] {
  const own = isOwn(payload, target);
  const { text, provider_metadata: metadata } = payload;
  const kept = own && metadata !== undefined;
  if (text.trim() === "" && !kept) return [];
  if (payload.kind === "reasoning") {
    return own ? [{ type: "reasoning", text, ...optionsOf(metadata) }] : [];
  }
  const shown = maxChars === undefined ? text : withoutMiddle(text, maxChars);
  return [{ type: "text", text: wellFormed(shown), ...(own && optionsOf(metadata)) }];
}

function optionsOf(metadata: SaidEvent["payload"]["provider_metadata"]): {
  providerOptions?: ProviderOptions;
} {
  return metadata === undefined ? {} : { providerOptions: metadata as ProviderOptions };
}

/** Services refuse thoughts that nothing follows, as a cancelled step leaves them. */
function withoutTrailingThoughts(parts: readonly AssistantPart[]): AssistantPart[] {
  return parts.slice(0, parts.findLastIndex(({ type }) => type !== "reasoning") + 1);
}

/** A message of empty texts alone says nothing, unless a thought needs its companion. */
function isSubstantial(part: AssistantPart): boolean {
  return part.type !== "text" || part.text.trim() !== "";
}
