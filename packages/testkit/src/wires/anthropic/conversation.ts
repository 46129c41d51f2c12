import { type JsonObject, listOf, objectOf, shown } from "../json-read.ts";

export interface Block {
  readonly block: JsonObject;
  /** `messages.2.content.0` */
  readonly path: string;
}

/** Neighbouring messages of one role, which the service treats as one. */
export interface Turn {
  readonly role: string;
  /** Of its last message. */
  readonly index: number;
  readonly blocks: readonly Block[];
}

export function turnsOf(messages: readonly unknown[]): Turn[] {
  const turns: Turn[] = [];
  for (const [index, value] of messages.entries()) {
    const { role, content } = objectOf(value);
    const blocks = blocksOf(content, `messages.${index}.content`);
    const last = turns.at(-1);
    if (last !== undefined && last.role === role) {
      turns[turns.length - 1] = { role: last.role, index, blocks: [...last.blocks, ...blocks] };
    } else turns.push({ role: shown(role), index, blocks });
  }
  return turns;
}

export function blocksOf(content: unknown, path: string): Block[] {
  if (typeof content === "string") return [{ block: { type: "text", text: content }, path }];
  return listOf(content).map((block, index) => ({
    block: objectOf(block),
    path: `${path}.${index}`,
  }));
}

export function blocksOfType(turn: Turn | undefined, type: string): Block[] {
  return (turn?.blocks ?? []).filter(({ block }) => block["type"] === type);
}
