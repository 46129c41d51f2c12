import type { ContextFragment, ContextSource } from "../services/context-service.ts";
import { type Candidate, partTokens } from "./candidate.ts";
import { sha256 } from "./context-digest.ts";
import { compare, type Packed } from "./pack.ts";

/** What is the same for the next question stands first, so that a cache of prompts can be used. */
const ORDER: readonly ContextSource[] = [
  "instructions",
  "tools",
  "skills",
  "plan",
  "decisions",
  "files",
  "diff",
  "history",
];

/** What was packed, as it goes to whoever asked, always in the same order. */
export function fragmentsOf(
  chosen: readonly Packed[],
  explain: boolean,
): readonly ContextFragment[] {
  const place = (source: ContextSource): number => ORDER.indexOf(source);
  return chosen
    .toSorted(
      ({ candidate: a }, { candidate: b }) => place(a.source) - place(b.source) || inSource(a, b),
    )
    .flatMap(({ candidate, form }) =>
      form.parts.map((part) => {
        const { source, score, pinned = false, trust, scores } = candidate;
        const { uri, title, content, range = null } = part;
        return {
          id: sha256(`${source}\0${uri}`).slice(0, 16),
          source,
          uri,
          title,
          detail: form.detail,
          content,
          tokens: partTokens(part),
          score,
          hash: sha256(content),
          range,
          pinned,
          trust,
          ...(explain && scores !== undefined && { scores }),
        };
      }),
    );
}

/** Events as they happened, everything else by its address. */
function inSource(a: Candidate, b: Candidate): number {
  if (a.source === "history" && b.source === "history") return seqOf(a) - seqOf(b);
  return compare(a.uri, b.uri);
}

function seqOf({ uri }: Candidate): number {
  return Number.parseInt(uri.slice("event:".length), 10);
}
