import { visibleText } from "@acumen/agent";

const TAGS = ["strategy", "definition_of_done", "findings", "argument"] as const;
export type DataTag = (typeof TAGS)[number];
/** An imitation of one of the tags, whatever stands around its name. */
const IMITATION = new RegExp(`<(?=\\s*/?\\s*(?:${TAGS.join("|")})\\b)`, "gi");

/** With everything that cannot be seen made visible, and nothing in it that opens or closes a block of data. */
export function plainData(text: string): string {
  return visibleText(text).replace(IMITATION, "<\\");
}

/** A text of somebody else within a prompt, with one opening and one closing tag. @param name of several of a kind */
export function dataBlock(tag: DataTag, text: string, name?: string): string {
  const opening = name === undefined ? tag : `${tag} name="${name}"`;
  return `<${opening}>\n${plainData(text)}\n</${tag}>`;
}
