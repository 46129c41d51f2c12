import { type JsonObject, listOf, objectOf, shown } from "../json-read.ts";

export interface Content {
  readonly role: string;
  readonly index: number;
  readonly parts: readonly JsonObject[];
  readonly calls: readonly JsonObject[];
  readonly responses: readonly JsonObject[];
}

export function contentsOf(body: JsonObject): Content[] {
  return listOf(body["contents"]).map((value, index) => {
    const { role, parts } = objectOf(value);
    const list = listOf(parts).map(objectOf);
    return {
      role: role === undefined || role === "function" ? "user" : shown(role),
      index,
      parts: list,
      calls: list.filter((part) => part["functionCall"] !== undefined),
      responses: list.filter((part) => part["functionResponse"] !== undefined),
    };
  });
}
