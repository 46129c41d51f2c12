import { skeletonOf } from "./lookalikes.ts";

/** Role names of the usual chat formats that stand before a colon, ... */
const SPEAKERS = [
  "system",
  "user",
  "assistant",
  "human",
  "developer",
  "ai",
  "bot",
  "tool",
  "model",
];
/** ... and those that stand in a heading or a tag; before a colon they are everyday words ("Response: 200"). */
const ROLES = [...SPEAKERS, "function", "instruction", "instructions", "response", "input"];
/** Tags that chat templates and agent hosts give a meaning to; separators are dropped by {@link squeezeName}. */
const TEMPLATE_TAGS = new Set([
  ...ROLES,
  ..."s bos eos pad unk sys inst think thinking invoke tools availabletools tooluse".split(" "),
  ..."functioncall functioncalls functionresult functionresults toolcall toolcalls".split(" "),
  ..."toolresult toolresults toolresponse toolresponses".split(" "),
  ..."systemprompt systemmessage systemreminder userquery usermessage".split(" "),
  ..."startofturn endofturn startofrole endofrole beginoftext endoftext".split(" "),
]);

const GAP = "[^\\S\\n]";
const spaced = (roles: readonly string[]): string =>
  roles.map((role) => Array.from(role).join(`${GAP}*`)).join("|");
const SUFFIX = `(?:(?:${GAP}|[_-])*(?:message|prompt|notes?|role|turn|says))?`;
/** `System:`, `**User** :`, `> assistant message:`, `[SYSTEM]:` at the start of a line. */
const ROLE_HEADER = new RegExp(
  `^(?:${GAP}|[>#*_"'\`~=([{|-])*(?:${spaced(SPEAKERS)})${SUFFIX}(?:${GAP}|[*_\\])}"'\`~=|-])*:`,
  "gm",
);
/** `### User`, `# System prompt`: a heading that consists of a role. */
const ROLE_HEADING = new RegExp(
  `^(?:${GAP}|>)*#{1,6}(?:${GAP}|[*_])*(?:${spaced(ROLES)})${SUFFIX}(?:${GAP}|[*_#:])*$`,
  "gm",
);
/** `[INST]`, `[/INST]`, `[SYSTEM_PROMPT]`. */
const BRACKET_TAG = /\[\s*\/?\s*([a-z_ -]{1,24})\]/g;
const TAG_BODY = /^[^<>]{0,200}>/;
const NAME = /[a-z_-]/;

/** Without one of these nothing imitates anything. */
const SUSPECT = /[^\n\t -~]|[<[#:]/;

/**
 * Puts a backslash into whatever imitates a structural mark of a prompt, so that it stays readable and stops working: the tag
 * `<reserved>` in any case, spacing and spelling (also cut off at the end of the text, where the next cell could complete it),
 * role headers at line starts (`System:`, `### User`), chat template tokens (`<|im_start|>`, `[INST]`, `<system>`).
 * Code such as `List<User>` or a colon in a sentence is left alone.
 *
 * @param reserved name of the block's own tag, lower-case ASCII letters
 */
export function escapeMarkers(text: string, reserved: string): string {
  if (!SUSPECT.test(text)) return text;
  const { text: skeleton, origin } = skeletonOf(text);
  const cuts = new Set<number>();
  for (let at = skeleton.indexOf("<"); at !== -1; at = skeleton.indexOf("<", at + 1)) {
    if (isReservedTag(skeleton, at + 1, reserved) || isTemplateTag(skeleton, at)) cuts.add(at + 1);
  }
  for (const match of skeleton.matchAll(BRACKET_TAG)) {
    if (TEMPLATE_TAGS.has(squeezeName(match[1] ?? ""))) cuts.add(match.index + 1);
  }
  for (const match of skeleton.matchAll(ROLE_HEADER)) cuts.add(match.index + match[0].length - 1);
  for (const match of skeleton.matchAll(ROLE_HEADING)) {
    cuts.add(match.index + match[0].indexOf("#"));
  }
  return insertBackslashes(
    text,
    [...cuts].map((cut) => origin(cut)),
  );
}

function isReservedTag(skeleton: string, from: number, reserved: string): boolean {
  const matched = matchReserved(skeleton, from, reserved);
  return matched === reserved.length || matched === -1;
}

/** Letters of the name found from a position on, separators skipped; -1 when the text ends before anything contradicts. */
function matchReserved(skeleton: string, from: number, reserved: string): number {
  let matched = 0;
  for (let i = from; i < skeleton.length; i++) {
    const character = skeleton[i] ?? "";
    if (/[\s/_-]/.test(character)) continue;
    if (character !== reserved[matched]) return matched;
    matched++;
    if (matched === reserved.length) return matched;
  }
  return -1;
}

function isTemplateTag(skeleton: string, at: number): boolean {
  let i = at + 1;
  let closing = false;
  while (/[\s/]/.test(skeleton[i] ?? "x")) {
    closing ||= skeleton[i] === "/";
    i++;
  }
  if (skeleton[i] === "|") return true;
  const start = i;
  while (i - start <= 24 && NAME.test(skeleton[i] ?? "")) i++;
  if (!TEMPLATE_TAGS.has(squeezeName(skeleton.slice(start, i)))) return false;
  // `List<User>` is a type, not a tag.
  if (!closing && /[\p{L}\p{N}_]/u.test(skeleton[at - 1] ?? "")) return false;
  return TAG_BODY.test(skeleton.slice(i, i + 201)) && !/[\p{L}\p{N}]/u.test(skeleton[i] ?? "");
}

function squeezeName(name: string): string {
  return name.replace(/[\s_-]+/g, "");
}

function insertBackslashes(text: string, cuts: readonly number[]): string {
  if (cuts.length === 0) return text;
  let escaped = "";
  let end = 0;
  for (const cut of [...new Set(cuts)].toSorted((a, b) => a - b)) {
    escaped += `${text.slice(end, cut)}\\`;
    end = cut;
  }
  return escaped + text.slice(end);
}
