import { escapeMarkers, stripUnsafe } from "@acumen/ace";

/** Tags that give a text of the system prompt its meaning; no text inside may imitate any of them. */
const TAGS = ["environment", "repositorytext", "servertext", "skillbook"] as const;

export interface DelimitedBlock {
  /** Letters and underscores. */
  readonly tag: "environment" | "repository_text" | "server_text";
  /** Value of the `path` attribute. */
  readonly path?: string;
  /** Value of the `server` attribute. */
  readonly server?: string;
  readonly text: string;
}

/**
 * A text between an opening and a closing tag. Whatever it holds, the block has one of each: imitations of our tags, of role headers
 * and of chat template tokens get a visible backslash, and invisible characters are dropped.
 */
export function delimitedBlock({ tag, path, server, text }: DelimitedBlock): string {
  const attributes = Object.entries({ path, server }).flatMap(([name, value]) =>
    value === undefined ? [] : [` ${name}="${plainName(value)}"`],
  );
  const escaped = TAGS.reduce(escapeMarkers, stripUnsafe(text));
  return `<${tag}${attributes.join("")}>\n${escaped}\n</${tag}>`;
}

/** A path on one line that ends no attribute and opens no tag: names of folders are chosen by whoever made the repository. */
export function plainName(path: string): string {
  return stripUnsafe(path).replace(/[\n\t"<>&`]/g, "_");
}
