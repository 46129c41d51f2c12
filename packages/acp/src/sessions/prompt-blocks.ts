import type { ContentBlock } from "@acumen/agent";
import type { ContentBlock as WireBlock } from "@agentclientprotocol/sdk";
import { invalidParams } from "../errors/invalid-params.ts";
import { storedBlock } from "../mapping/content-blocks.ts";

/** Of all blocks together, in UTF-8. */
const MAX_PROMPT_MEBIBYTES = 12;

/** A host's prompt in the form that is stored. @throws RequestError when it is empty, too large, or holds what is not taken */
export function promptBlocks(
  prompt: readonly WireBlock[],
  { image }: { readonly image: boolean },
): readonly ContentBlock[] {
  const audio = prompt.findIndex(({ type }) => type === "audio");
  if (audio !== -1) throw invalidParams(`prompt.${audio}.type`, "other than audio");
  const picture = image ? -1 : prompt.findIndex(({ type }) => type === "image");
  if (picture !== -1) {
    throw invalidParams(`prompt.${picture}.type`, "other than image: the model takes none");
  }
  if (prompt.every((block) => block.type === "text" && block.text.trim() === "")) {
    throw invalidParams("prompt", "a list with something in it");
  }
  const bytes = prompt.reduce((sum, block) => sum + Buffer.byteLength(bulkOf(block)), 0);
  if (bytes > MAX_PROMPT_MEBIBYTES * 1024 * 1024) {
    throw invalidParams("prompt", `at most ${MAX_PROMPT_MEBIBYTES} MiB in all`);
  }
  return prompt.map(storedBlock);
}

/** What makes a block large. */
function bulkOf(block: WireBlock): string {
  switch (block.type) {
    case "text":
      return block.text;
    case "image":
    case "audio":
      return block.data;
    case "resource_link":
      return block.uri;
    case "resource":
      return "text" in block.resource ? block.resource.text : block.resource.blob;
  }
}
