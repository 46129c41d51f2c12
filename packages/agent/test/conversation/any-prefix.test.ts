import fc from "fast-check";
import type { ModelMessages } from "@acumen/models";
import { expect, test } from "vitest";
import { conversationOf } from "../../src/conversation/conversation.ts";
import { anyTurn, write } from "./any-log.ts";

const OWN = { provider: "anthropic", model: "claude-x" };
const MAKERS = [
  { by: OWN },
  { by: OWN, metadata: { anthropic: { signature: "s" } } },
  { by: { provider: "openai", model: "gpt-x" } },
];
const TARGET = { ...OWN, vision: true };

type Message = ModelMessages[number];
type Of<Role> = Extract<Message, { role: Role }>;

test("whatever a log ends with, roles alternate and every call has one result directly behind it", () => {
  fc.assert(
    fc.property(fc.array(anyTurn, { minLength: 1, maxLength: 4 }), fc.nat(), (turns, end) => {
      const { events } = write(turns, MAKERS);
      const messages = conversationOf(events.slice(0, end % (events.length + 1)), TARGET);
      const ids = new Set<string>();
      for (const [index, message] of messages.entries()) {
        const before = messages[index - 1]?.role;
        if (message.role === "user") checkUser(message, before);
        else if (message.role === "assistant")
          checkAssistant(message, before, messages[index + 1], ids);
        else expect(before).toBe("assistant");
      }
    }),
    { numRuns: 300 },
  );
});

function checkUser({ content }: Of<"user">, before: string | undefined): void {
  expect(before).not.toBe("user");
  expect(content.length).toBeGreaterThan(0);
  for (const part of content) {
    if (part.type === "text") expect(part.text.trim()).not.toBe("");
  }
}

function checkAssistant(
  { content }: Of<"assistant">,
  before: string | undefined,
  after: Message | undefined,
  ids: Set<string>,
): void {
  expect(["user", "tool"]).toContain(before);
  expect(content.length).toBeGreaterThan(0);
  expect(content.at(-1)?.type).not.toBe("reasoning");
  const calls = content.flatMap((part) => (part.type === "tool-call" ? [part] : []));
  const results = after?.role === "tool" ? after.content : [];
  expect(results).toHaveLength(calls.length);
  for (const [position, { toolCallId, toolName, input }] of calls.entries()) {
    expect(ids.has(toolCallId)).toBe(false);
    ids.add(toolCallId);
    expect(toolName).toMatch(/^[a-zA-Z_][a-zA-Z0-9_-]{0,62}$/);
    expect(input !== null && typeof input === "object" && !Array.isArray(input)).toBe(true);
    expect(results[position]).toMatchObject({ type: "tool-result", toolCallId, toolName });
  }
}
