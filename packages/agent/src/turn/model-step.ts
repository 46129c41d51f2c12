import { createId } from "@acumen/core";
import {
  type FinishReason,
  type ModelStreamPart,
  NO_USAGE,
  type Usage,
  usageOf,
} from "@acumen/models";

type Metadata = Readonly<Record<string, unknown>>;

export interface StepMessage {
  readonly type: "message";
  readonly messageId: string;
  readonly kind: "assistant" | "reasoning";
  readonly text: string;
  readonly metadata?: Metadata;
}

export interface StepCall {
  readonly type: "call";
  readonly callId: string;
  readonly exposedName: string;
  /** As the model wrote it: JSON text, possibly broken. */
  readonly input: string;
  readonly metadata?: Metadata;
}

export type StepPart = StepMessage | StepCall;

/** Shows text while it comes; `last`: the message is complete. A promise that is returned is waited for. */
export type ShowDelta = (
  message: Pick<StepMessage, "messageId" | "kind">,
  text: string,
  last: boolean,
) => Promise<void> | undefined;

interface OpenMessage {
  readonly messageId: string;
  readonly kind: StepMessage["kind"];
  text: string;
  metadata: Metadata | undefined;
  /** Its place among the parts, which may end in another order than they began. */
  readonly index: number;
}

/** One answer of a model, put together from its stream. */
export class ModelStep {
  readonly #showDelta: ShowDelta;
  readonly #open = new Map<string, OpenMessage>();
  readonly #parts: (StepPart | undefined)[] = [];
  #said = false;
  #finish: FinishReason | undefined;
  #usage: Usage = NO_USAGE;

  constructor(showDelta: ShowDelta) {
    this.#showDelta = showDelta;
  }

  /** Whether something came that was shown or will be logged. */
  get said(): boolean {
    return this.#said;
  }

  get usage(): Usage {
    return this.#usage;
  }

  get finish(): FinishReason {
    return this.#finish ?? "other";
  }

  /** Messages and calls in the order in which the model began them. */
  get parts(): readonly StepPart[] {
    return this.#parts.filter((part) => part !== undefined);
  }

  get calls(): readonly StepCall[] {
    return this.#parts.filter((part) => part?.type === "call");
  }

  get messages(): readonly StepMessage[] {
    return this.#parts.filter((part) => part?.type === "message");
  }

  /** Of an answer that broke off: everything up to the last text that was complete. */
  get wholeMessages(): readonly StepMessage[] {
    const messages = this.messages;
    return messages.slice(0, messages.findLastIndex(({ kind }) => kind === "assistant") + 1);
  }

  async read(stream: AsyncIterable<ModelStreamPart>): Promise<void> {
    for await (const part of stream) {
      const shown = this.#take(part);
      if (shown !== undefined) await shown;
    }
  }

  #take(part: ModelStreamPart): Promise<void> | undefined {
    if (isMessagePart(part)) return this.#takeMessage(part);
    if (part.type === "tool-input-start") this.#said = true;
    else if (part.type === "tool-call") this.#call(part);
    else if (part.type === "finish") return this.#ended(part);
    return undefined;
  }

  #takeMessage(part: MessagePart): Promise<void> | undefined {
    if ("delta" in part) return this.#delta(part);
    if (part.type === "text-start" || part.type === "reasoning-start") this.#begin(part);
    else return this.#end(keyOf(part), part.providerMetadata);
    return undefined;
  }

  async #ended({
    finishReason: { unified },
    usage,
  }: Extract<ModelStreamPart, { type: "finish" }>): Promise<void> {
    this.#finish = unified === "error" ? "other" : unified;
    this.#usage = usageOf(usage);
    // A message that the provider never ended is complete when the answer is.
    for (const key of this.#open.keys()) await this.#end(key, undefined);
  }

  #begin(part: MessagePart): void {
    const index = this.#parts.push(undefined) - 1;
    this.#open.set(keyOf(part), {
      messageId: createId(),
      kind: kindOf(part),
      text: "",
      metadata: part.providerMetadata,
      index,
    });
  }

  #delta(part: MessagePart & { readonly delta: string }): Promise<void> | undefined {
    const message = this.#open.get(keyOf(part));
    if (message === undefined) return undefined;
    this.#said = true;
    if (part.providerMetadata !== undefined) message.metadata = part.providerMetadata;
    if (part.delta === "") return undefined;
    message.text += part.delta;
    return this.#showDelta(message, part.delta, false);
  }

  /** Metadata of a later part replaces that of an earlier one, as the AI SDK itself has it. */
  #end(key: string, last: Metadata | undefined): Promise<void> | undefined {
    const message = this.#open.get(key);
    if (message === undefined) return undefined;
    this.#open.delete(key);
    const { messageId, kind, text, index } = message;
    const metadata = last ?? message.metadata;
    // Without text it matters only for what the provider wants back, such as encrypted thoughts.
    if (text === "" && metadata === undefined) return undefined;
    this.#parts[index] = {
      type: "message",
      messageId,
      kind,
      text,
      ...(metadata !== undefined && { metadata }),
    };
    return this.#showDelta(message, "", true);
  }

  #call(part: Extract<ModelStreamPart, { type: "tool-call" }>): void {
    this.#said = true;
    // Carried out by the provider itself: nothing that this product offers.
    if (part.providerExecuted === true) return;
    this.#parts.push({
      type: "call",
      callId: part.toolCallId,
      exposedName: part.toolName,
      input: part.input,
      ...(part.providerMetadata !== undefined && { metadata: part.providerMetadata }),
    });
  }
}

type MessagePart = Extract<
  ModelStreamPart,
  {
    type:
      | "text-start"
      | "text-delta"
      | "text-end"
      | "reasoning-start"
      | "reasoning-delta"
      | "reasoning-end";
  }
>;

const MESSAGE_PART = /^(?:text|reasoning)-/;

function isMessagePart(part: ModelStreamPart): part is MessagePart {
  return MESSAGE_PART.test(part.type);
}

function kindOf({ type }: MessagePart): StepMessage["kind"] {
  return type.startsWith("text") ? "assistant" : "reasoning";
}

/** Some providers number texts and thoughts apart. */
function keyOf(part: MessagePart): string {
  return `${kindOf(part)} ${part.id}`;
}
