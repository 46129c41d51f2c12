import type { ContentBlock } from "../content/content-block.ts";
import type { Workspace } from "../workspace/workspace.ts";
import { type Mention, mentionsIn } from "./mentions.ts";

/** Each is looked for on the disk; whoever pastes more does not wait for it. */
const MAX_LOOKED_FOR = 50;
/** A slash, or a dot with a letter behind it: no version, no price. */
const PATH = /\/|\.\p{L}/u;
/** What a word that is no code consists of. */
const PLAIN = /^[\p{L}\p{N}\p{M}._/~+\\-]+$/u;
const PACKAGE = /^[^/.]+\/[^/.]+$/;

/**
 * The `@path` words of a prompt that look like files and name nothing inside the boundaries, without punctuation at their
 * end. They stay text. Code, e-mail addresses and names such as `@scope/package` are none.
 */
export async function missingFiles(
  prompt: readonly ContentBlock[],
  workspace: Pick<Workspace, "locate">,
): Promise<readonly string[]> {
  const looked = new Map<string, Mention>();
  for (const block of prompt) {
    if (block.type !== "text") continue;
    for (const mention of mentionsIn(block.text)) {
      const word = mention.at(-1) ?? mention[0];
      if (looked.size < MAX_LOOKED_FOR && looksLikeFile(word)) looked.set(word, mention);
    }
  }
  const missing: string[] = [];
  for (const [word, mention] of looked) {
    if (!(await isSomething(mention, workspace))) missing.push(word);
  }
  return missing;
}

function looksLikeFile(word: string): boolean {
  if (!PATH.test(word) || PACKAGE.test(word)) return false;
  return PLAIN.test(word) || (/\s/.test(word) && !word.includes("@"));
}

/** A folder is something too, and so is what may not be read: that is said in another place. */
async function isSomething(
  mention: Mention,
  workspace: Pick<Workspace, "locate">,
): Promise<boolean> {
  for (const path of mention) {
    const place = await workspace.locate(path, "read");
    if (place.ok ? place.exists : place.rule !== undefined) return true;
  }
  return false;
}
