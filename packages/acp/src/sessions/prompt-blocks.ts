import type { ContentBlock } from "@acumen/agent";
import type { ContentBlock as WireBlock } from "@agentclientprotocol/sdk";
import { invalidParams } from "../errors/invalid-params.ts";
import { storedBlock } from "../mapping/content-blocks.ts";

/** Of all texts in all blocks together, in UTF-8. */
const MAX_PROMPT_MEBIBYTES = 12;
/** Each costs time, however short it is. */
const MAX_BLOCKS = 10_000;

/** A host's prompt in the form that is stored. @throws RequestError when it is empty, too large, or holds what is not taken */
export function promptBlocks(
  prompt: readonly WireBlock[],
  { image }: { readonly image: boolean },
): readonly ContentBlock[] {
  if (prompt.length > MAX_BLOCKS) throw invalidParams("prompt", `at most ${MAX_BLOCKS} parts`);
  const audio = prompt.findIndex(({ type }) => type === "audio");
  if (audio !== -1) throw invalidParams(`prompt.${audio}.type`, "other than audio");
  const picture = image ? -1 : prompt.findIndex(({ type }) => type === "image");
  if (picture !== -1) {
    throw invalidParams(`prompt.${picture}.type`, "other than image: the model takes none");
  }
  if (prompt.every((block) => block.type === "text" && block.text.trim() === "")) {
    throw invalidParams("prompt", "a list with something in it");
  }
  const blocks = prompt.map(storedBlock);
  const bytes = blocks.reduce((sum, block) => sum + bulkOf(block), 0);
  if (bytes > MAX_PROMPT_MEBIBYTES * 1024 * 1024) {
    throw invalidParams("prompt", `at most ${MAX_PROMPT_MEBIBYTES} MiB in all`);
  }
  return blocks;
}

/** Every text counts, since names and addresses can be as long as contents. */
function bulkOf({ type: _type, ...texts }: ContentBlock): number {
  return Object.values(texts).reduce<number>(
    (sum, text) => sum + (typeof text === "string" ? Buffer.byteLength(text) : 0),
    0,
  );
}
