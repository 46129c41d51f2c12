import type { ContentBlock, SessionUpdate } from "@agentclientprotocol/sdk";
import type { Transcript } from "./host-result.ts";

/** What an editor shows of a session. */
export class TranscriptView {
  readonly #prompts: string[] = [];
  readonly #calls = new Map<string, string>();
  #text = "";
  #answer = "";

  /** Live, an editor shows the prompt that it sends itself. */
  prompted(text: string): void {
    this.#prompts.push(text);
  }

  take(update: SessionUpdate): void {
    const { sessionUpdate: kind } = update;
    if (kind === "user_message_chunk") this.#prompts.push(textOfBlock(update.content));
    if (kind === "agent_message_chunk") this.#answer += textOfBlock(update.content);
    if (kind !== "tool_call" && kind !== "tool_call_update") return;
    if (typeof update.status === "string") this.#calls.set(update.toolCallId, update.status);
  }

  /** What was said of a message that a cancel cut off is not kept by the agent either. */
  answered(stopReason: string): void {
    if (stopReason !== "cancelled") this.#text += this.#answer;
    this.#answer = "";
  }

  get transcript(): Transcript {
    return {
      prompts: [...this.#prompts],
      text: this.#text + this.#answer,
      calls: [...this.#calls].map(([id, status]) => `${id} ${status}`),
    };
  }
}

export function textOfBlock(block: ContentBlock): string {
  return block.type === "text" ? block.text : "";
}
