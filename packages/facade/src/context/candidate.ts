import type {
  ContextFragment,
  ContextSource,
  DroppedFragment,
} from "../services/context-service.ts";
import { countTokens } from "./token-count.ts";
import { wellFormed } from "./well-formed.ts";

/** What shares one part of the budget. */
export const GROUPS = ["guide", "skills", "history", "files"] as const;
export type Group = (typeof GROUPS)[number];

/** One piece of text under its address. */
export interface Part {
  readonly uri: string;
  readonly title: string;
  readonly content: string;
  readonly range?: { readonly start_line: number; readonly end_line: number };
}

/** All of it, the places that matter, or only that it is there. */
export interface Form {
  readonly detail: ContextFragment["detail"];
  readonly parts: readonly Part[];
  readonly tokens: number;
}

/** Something that could stand in a context, in one of its forms. */
export interface Candidate {
  readonly source: ContextSource;
  readonly group: Group;
  readonly uri: string;
  /** 0 to 1, and more for what belongs there anyway. */
  readonly score: number;
  readonly pinned?: boolean;
  readonly trust: ContextFragment["trust"];
  /** The best first; never empty. */
  readonly forms: readonly Form[];
  /** What the score is made of, for whoever asks. */
  readonly scores?: ContextFragment["scores"];
}

/** What one source has to give. */
export interface Collected {
  readonly candidates: readonly Candidate[];
  readonly dropped?: readonly DroppedFragment[];
  readonly warnings?: readonly string[];
}

/** With its title, under which it is shown. */
export function partTokens({ title, content }: Part): number {
  return countTokens(`${title}\n${content}\n`);
}

export function formOf(detail: Form["detail"], parts: readonly Part[]): Form {
  return { detail, parts, tokens: parts.reduce((sum, part) => sum + partTokens(part), 0) };
}

const EXCERPT_CHARS = 1_000;

/** Forms of a text of ours: whole, its beginning, its first line. */
export function textForms(part: Part, reference: string): readonly Form[] {
  const { content } = part;
  const isLong = content.length > EXCERPT_CHARS * 1.5;
  const head = `${wellFormed(content.slice(0, EXCERPT_CHARS))}\n[cut]`;
  return [
    formOf("full", [part]),
    ...(isLong ? [formOf("excerpt", [{ ...part, content: head }])] : []),
    formOf("reference", [{ ...part, content: reference }]),
  ];
}
