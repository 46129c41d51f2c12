import type { JsonObject } from "../json-read.ts";

/** An output item that the server handed out. */
export interface IssuedItem {
  readonly item: JsonObject;
  /** Of a reasoning item: the text that alone can stand for it when nothing was stored. */
  readonly encrypted?: string;
  readonly stored: boolean;
  /** Of the item after it: the reasoning item it must come with. */
  readonly reasoningId?: string;
}

/** What the service would keep: items by id, and whole conversations by response id. */
export class ResponseLedger {
  readonly items = new Map<string, IssuedItem>();
  readonly conversations = new Map<string, readonly JsonObject[]>();
}
