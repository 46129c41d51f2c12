import type { AcpEvent } from "../../src/envelope/acp-event.ts";

/** A frame as it stood on the wire. */
export interface SseFrame {
  readonly id: string | undefined;
  readonly event: string | undefined;
  readonly data: AcpEvent | undefined;
  readonly retry: string | undefined;
  readonly comment: string | undefined;
}

/** Reads server-sent events the plain way, for tests of what a server writes. */
export async function* framesOf(response: Response): AsyncGenerator<SseFrame, void, undefined> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk as Uint8Array, { stream: true });
    const blocks = text.split("\n\n");
    text = blocks.pop() ?? "";
    for (const block of blocks) yield frameOf(block);
  }
}

function frameOf(block: string): SseFrame {
  const fields = new Map(
    block.split("\n").map((line) => {
      const at = line.indexOf(":");
      return [line.slice(0, at), line.slice(at + 1).trimStart()] as const;
    }),
  );
  const data = fields.get("data");
  return {
    id: fields.get("id"),
    event: fields.get("event"),
    data: data === undefined ? undefined : (JSON.parse(data) as AcpEvent),
    retry: fields.get("retry"),
    comment: fields.get(""),
  };
}

export interface SseReader {
  /** Without comments and hints. */
  readonly seen: readonly AcpEvent[];
  readonly comments: readonly string[];
  /** Resolves when the server has closed. */
  readonly ended: Promise<void>;
}

export function startSseReader(response: Response): SseReader {
  const seen: AcpEvent[] = [];
  const comments: string[] = [];
  const read = async (): Promise<void> => {
    for await (const { data, comment } of framesOf(response)) {
      if (data !== undefined) seen.push(data);
      if (comment !== undefined) comments.push(comment);
    }
  };
  // A connection that is cut ends the reading, like one that is closed.
  return { seen, comments, ended: read().catch(() => undefined) };
}
