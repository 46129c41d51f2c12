import type { ModelMessages } from "@acumen/models";

export type ModelMessage = ModelMessages[number];
type UserMessage = Extract<ModelMessage, { role: "user" }>;
type AssistantMessage = Extract<ModelMessage, { role: "assistant" }>;
type ToolMessage = Extract<ModelMessage, { role: "tool" }>;
export type UserPart = UserMessage["content"][number];
export type AssistantPart = AssistantMessage["content"][number];
export type ToolResultPart = Extract<ToolMessage["content"][number], { type: "tool-result" }>;
export type ProviderOptions = NonNullable<ModelMessage["providerOptions"]>;

/** The model that a conversation is rendered for. */
export interface ConversationTarget {
  /** Prefix of the provider, as in `Model.provider`. */
  readonly provider: string;
  /** Name without the prefix. */
  readonly model: string;
  /** Whether it sees images. */
  readonly vision: boolean;
}

export interface RenderOptions {
  readonly target: ConversationTarget;
  /** Outputs of calls with a lower seq become previews. */
  readonly previewBefore: number;
  /** Longer texts lose their middle. */
  readonly maxChars?: number;
}
