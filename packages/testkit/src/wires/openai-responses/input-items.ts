import { isJsonObject } from "@acumen/core";
import { type JsonObject, listOf, textOf } from "../json-read.ts";
import type { ResponseLedger } from "./response-ledger.ts";

export interface InputItem {
  readonly item: JsonObject;
  /** `input[2]`, or the id for what was taken from the store. */
  readonly path: string;
  /** Named by an `item_reference` or a `previous_response_id`, not sent in full. */
  readonly stored: boolean;
}

/** The whole conversation of a request: its input, with references replaced by the items that were issued. */
export function inputItems(body: JsonObject, ledger: ResponseLedger): InputItem[] {
  const earlier = ledger.conversations.get(textOf(body["previous_response_id"])) ?? [];
  const { input } = body;
  const sent = typeof input === "string" ? [{ role: "user", content: input }] : listOf(input);
  return [
    ...earlier.map((item) => ({ item, path: textOf(item["id"]), stored: true })),
    ...sent.map((value, index) => resolved(isJsonObject(value) ? value : {}, index, ledger)),
  ];
}

/** `message` when a message leaves its type out. */
export function itemType(item: JsonObject): string {
  return textOf(item["type"]) || (item["role"] === undefined ? "" : "message");
}

/** Items that only the model can have written. */
export function isModelItem(item: JsonObject | undefined): boolean {
  if (item === undefined) return false;
  const type = itemType(item);
  return (
    type === "function_call" ||
    type === "reasoning" ||
    (type === "message" && item["role"] === "assistant")
  );
}

function resolved(item: JsonObject, index: number, ledger: ResponseLedger): InputItem {
  const issued =
    item["type"] === "item_reference" ? ledger.items.get(textOf(item["id"])) : undefined;
  return issued?.stored === true
    ? { item: issued.item, path: `input[${index}]`, stored: true }
    : { item, path: `input[${index}]`, stored: false };
}
