import { SKILL_TAGS } from "@acumen/ace";
import { createHash } from "node:crypto";
import { z } from "zod";
import { RATINGS } from "./rated-turn.ts";

/** Which rated turn a proposal came from. */
const feedbackEvidence = z.object({
  session_id: z.string(),
  turn_id: z.string(),
  /** First and last event of the turn. */
  seqs: z.array(z.number().int()),
  rating: z.enum(RATINGS),
  text: z.string(),
  /** Working directory of the session. */
  cwd: z.string(),
  /** ISO 8601, UTC. */
  at: z.string(),
});
export type FeedbackEvidence = z.output<typeof feedbackEvidence>;

/** A change of the machine's skillbook that learning asks for and nobody has decided on. */
const proposal = z.object({
  /** `p-00001`. */
  id: z.string(),
  status: z.literal("proposed"),
  change: z.enum(["add", "update", "remove"]),
  /** The skill of the machine's book that is changed; null for a new one. */
  skill_id: z.string().nullable(),
  section: z.string(),
  /** The whole new text; of a skill to be removed, its text. */
  content: z.string(),
  justification: z.string().nullable(),
  evidence: z.string().nullable(),
  /** As the skillbook's file holds them. */
  sources: z.array(z.record(z.string(), z.unknown())),
  /** Newest last. */
  feedback: z.array(feedbackEvidence),
  created_at: z.string(),
});
export type Proposal = z.output<typeof proposal>;
/** Before the file gives it its id. */
export type ProposalDraft = Omit<Proposal, "id" | "status" | "created_at">;

/** Counters that a rating of a turn raised in one book. The id of a turn is the same in every fork of its session. */
const countedRating = z.object({
  turn_id: z.string(),
  rating: z.enum(RATINGS),
  book: z.enum(["machine", "workspace"]),
  /** By shown id. */
  counts: z.array(z.object({ skill_id: z.string(), tag: z.enum(SKILL_TAGS) })),
  at: z.string(),
});
export type CountedRating = z.output<typeof countedRating>;

/** What `proposals.json` holds. */
export const proposalFileSchema = z.object({
  format: z.literal("acumen.proposals"),
  version: z.literal(1),
  next_id: z.number().int().min(1),
  proposals: z.array(proposal),
  /** Refused ones by the hash of what they say, newest last, so that they do not come back at once. */
  rejected: z.array(z.object({ hash: z.string(), at: z.string() })),
  /** Newest last, so that no rating counts twice. */
  counted: z.array(countedRating).default([]),
});
export type ProposalFile = z.output<typeof proposalFileSchema>;

/** `proposals` waits for a person, `rejected` and `counted` are remembered, `feedback` is the evidence of one proposal. */
export const PROPOSAL_LIMITS = {
  proposals: 500,
  rejected: 2_000,
  counted: 2_000,
  feedback: 8,
} as const;

export const EMPTY_PROPOSALS: ProposalFile = {
  format: "acumen.proposals",
  version: 1,
  next_id: 1,
  proposals: [],
  rejected: [],
  counted: [],
};

/** Equal for proposals that ask for the same, but for case, spacing and punctuation. */
function proposalHash({
  change,
  skill_id: skillId,
  content,
}: Pick<Proposal, "change" | "skill_id" | "content">): string {
  const words =
    content
      .normalize("NFKC")
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? [];
  // A text of signs alone has no words to compare.
  const said = words.length === 0 ? content.trim() : words.join(" ");
  const asked = change === "remove" ? [change, skillId] : [change, skillId, said];
  return createHash("sha256").update(JSON.stringify(asked)).digest("hex");
}

export interface Taken {
  readonly file: ProposalFile;
  /** Those that wait now, also one that waited already and got this feedback as further evidence. */
  readonly proposed: readonly Proposal[];
  /** Not taken: refused before, or there is no room. */
  readonly dropped: readonly { readonly content: string; readonly reason: "rejected" | "full" }[];
}

/** The file with further proposals. */
export function withProposals(
  file: ProposalFile,
  drafts: readonly ProposalDraft[],
  now: string,
): Taken {
  const rejected = new Set(file.rejected.map(({ hash }) => hash));
  const waiting = new Map(file.proposals.map((each) => [proposalHash(each), each]));
  const proposed = new Map<string, Proposal>();
  const dropped: { content: string; reason: "rejected" | "full" }[] = [];
  let nextId = file.next_id;
  for (const draft of drafts) {
    const hash = proposalHash(draft);
    const known = waiting.get(hash);
    if (known === undefined && rejected.has(hash)) {
      dropped.push({ content: draft.content, reason: "rejected" });
    } else if (known === undefined && waiting.size >= PROPOSAL_LIMITS.proposals) {
      dropped.push({ content: draft.content, reason: "full" });
    } else {
      const each = known
        ? {
            ...known,
            feedback: lastOf(
              [
                ...known.feedback,
                ...draft.feedback.filter(
                  (one) => !known.feedback.some((other) => isSame(one, other)),
                ),
              ],
              PROPOSAL_LIMITS.feedback,
            ),
          }
        : {
            id: `p-${String(nextId++).padStart(5, "0")}`,
            status: "proposed" as const,
            ...draft,
            created_at: now,
          };
      waiting.set(hash, each);
      proposed.set(hash, each);
    }
  }
  return {
    file: { ...file, next_id: nextId, proposals: [...waiting.values()] },
    proposed: [...proposed.values()],
    dropped,
  };
}

/** The same rating with the same words, given again, is no further evidence. */
function isSame(one: FeedbackEvidence, other: FeedbackEvidence): boolean {
  return one.turn_id === other.turn_id && one.rating === other.rating && one.text === other.text;
}

/** The file without these; their texts are remembered when they were refused. */
export function withoutProposals(
  file: ProposalFile,
  ids: ReadonlySet<string>,
  refused: ReadonlySet<string>,
  now: string,
): ProposalFile {
  const more = file.proposals
    .filter(({ id }) => refused.has(id))
    .map((each) => ({ hash: proposalHash(each), at: now }));
  return {
    ...file,
    proposals: file.proposals.filter(({ id }) => !ids.has(id) && !refused.has(id)),
    rejected: lastOf([...file.rejected, ...more], PROPOSAL_LIMITS.rejected),
  };
}

function lastOf<Item>(items: readonly Item[], count: number): Item[] {
  return items.slice(-count);
}
