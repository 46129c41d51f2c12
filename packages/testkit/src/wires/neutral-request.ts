export type NeutralPart =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "reasoning"; readonly text: string; readonly signature?: string }
  | {
      readonly type: "tool-call";
      readonly id: string;
      readonly name: string;
      readonly input: unknown;
    }
  | {
      readonly type: "tool-result";
      readonly id: string;
      readonly name?: string;
      /** Text as the model would read it; structured results as JSON text. */
      readonly output: string;
      readonly isError?: boolean;
    }
  | { readonly type: "file"; readonly mediaType: string };

/** Neighbouring messages of one role are one message here, whatever the wire did; results of tools have their own role. */
export interface NeutralMessage {
  readonly role: "user" | "assistant" | "tool";
  readonly parts: readonly NeutralPart[];
}

export interface NeutralTool {
  readonly name: string;
  readonly description?: string;
  readonly schema: unknown;
  readonly strict?: boolean;
}

export type NeutralResponseFormat =
  | { readonly type: "text" }
  | {
      readonly type: "json";
      readonly name?: string;
      readonly schema?: unknown;
      /** `tool`: Anthropic's forced `json` tool, which `tools` then does not list. */
      readonly through: "schema" | "tool" | "mode";
    };

/** What a request asks for, without the spelling of its wire. */
export interface NeutralRequest {
  readonly model: string;
  readonly stream: boolean;
  /** All system texts, joined by an empty line. */
  readonly system: string;
  readonly messages: readonly NeutralMessage[];
  readonly tools: readonly NeutralTool[];
  readonly toolChoice?: "auto" | "none" | "required" | { readonly tool: string };
  readonly responseFormat: NeutralResponseFormat;
  readonly maxOutputTokens?: number;
  readonly temperature?: number;
}

/** Joins neighbouring messages of one role and drops empty ones. */
export function joinMessages(messages: readonly NeutralMessage[]): NeutralMessage[] {
  const joined: NeutralMessage[] = [];
  for (const message of messages) {
    if (message.parts.length === 0) continue;
    const last = joined.at(-1);
    if (last?.role === message.role) {
      joined[joined.length - 1] = { role: last.role, parts: [...last.parts, ...message.parts] };
    } else joined.push(message);
  }
  return joined;
}

/** The text of the last user message; what most scripts decide by. */
export function lastUserText(request: NeutralRequest): string {
  const message = request.messages.findLast(({ role }) => role === "user");
  return (message?.parts ?? [])
    .map((part) => (part.type === "text" ? part.text : ""))
    .filter((text) => text !== "")
    .join("\n");
}
