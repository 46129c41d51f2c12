import { textOf } from "../json-read.ts";
import type { Report } from "../wire.ts";
import { type InputItem, isModelItem, itemType } from "./input-items.ts";
import type { ResponseLedger } from "./response-ledger.ts";

/** Reasoning goes back as it was handed out: known, unchanged, and together with what it led to. */
export function checkReplay(
  items: readonly InputItem[],
  ledger: ResponseLedger,
  report: Report,
): void {
  const seen = new Set<string>();
  for (const [index, entry] of items.entries()) {
    const id = textOf(entry.item["id"]);
    if (id !== "" && seen.has(id)) {
      report({
        message: `Duplicate item found with id ${id}. Remove duplicate items from your input and try again.`,
        param: "input",
      });
    }
    seen.add(id);
    const type = itemType(entry.item);
    if (type === "item_reference") notFound(id, report);
    else if (type === "reasoning") checkReasoning(entry, items[index + 1], ledger, report);
    else checkCompanion(id, type, seen, ledger, report);
  }
}

function checkReasoning(
  { item, stored }: InputItem,
  next: InputItem | undefined,
  ledger: ResponseLedger,
  report: Report,
): void {
  const id = textOf(item["id"]);
  const encrypted = item["encrypted_content"];
  const issued = ledger.items.get(id);
  if (!stored && typeof encrypted === "string") {
    const known = [...ledger.items.values()].some((entry) => entry.encrypted === encrypted);
    const same = issued === undefined ? known : issued.encrypted === encrypted;
    if (!same) {
      report({
        message: `The encrypted content ${encrypted.slice(0, 4)}...${encrypted.slice(-4)} could not be verified. Reason: Encrypted content could not be decrypted or parsed.`,
        code: "invalid_encrypted_content",
      });
    }
  } else if (issued?.stored !== true) notFound(id, report);
  if (next !== undefined && !isModelItem(next.item)) {
    report({
      message: `Item '${id}' of type 'reasoning' was provided without its required following item.`,
      param: "input",
    });
  }
}

function checkCompanion(
  id: string,
  type: string,
  seen: ReadonlySet<string>,
  ledger: ResponseLedger,
  report: Report,
): void {
  const reasoningId = ledger.items.get(id)?.reasoningId;
  if (reasoningId === undefined || seen.has(reasoningId)) return;
  report({
    message: `Item '${id}' of type '${type}' was provided without its required 'reasoning' item: '${reasoningId}'.`,
    param: "input",
  });
}

function notFound(id: string, report: Report): void {
  report({
    message: `Item with id '${id}' not found. Items are not persisted when \`store\` is set to false. Try again with \`store\` set to true, or remove this item from your input.`,
    param: "input",
    status: 404,
  });
}
