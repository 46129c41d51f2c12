import { agentError } from "../errors.ts";

type Ids = readonly string[] | "all";

export interface ReviewChoice {
  readonly accept: ReadonlySet<string>;
  readonly reject: ReadonlySet<string>;
  /** Unreviewed skills of the book that are accepted. */
  readonly vouch: readonly string[];
}

export interface Reviewable {
  /** Ids. */
  readonly proposals: ReadonlySet<string>;
  readonly isSkill: (id: string) => boolean;
}

/**
 * What a person decided, checked against what there is. `all` is all the rest when single ones are named for the other decision.
 * @throws AGENT_PROPOSALS_INVALID for an unknown id, and for one that is accepted and rejected at once
 */
export function reviewChoice(
  { accept = [], reject = [] }: { readonly accept?: Ids; readonly reject?: Ids },
  { proposals, isSkill }: Reviewable,
): ReviewChoice {
  if (accept === "all" && reject === "all") throw bothWays("all");
  const wanted = idsOf(accept, proposals, reject);
  const refused = idsOf(reject, proposals, accept);
  for (const id of refused) {
    if (!proposals.has(id)) throw unknownId(id);
    if (wanted.has(id)) throw bothWays(id);
  }
  const vouch = [...wanted].filter((id) => !proposals.has(id));
  for (const id of vouch) if (!isSkill(id)) throw unknownId(id);
  return { accept: wanted, reject: refused, vouch };
}

function idsOf(ids: Ids, proposals: ReadonlySet<string>, others: Ids): ReadonlySet<string> {
  if (ids !== "all") return new Set(ids);
  const named = new Set<string>(others === "all" ? [] : others);
  return new Set([...proposals].filter((id) => !named.has(id)));
}

function unknownId(id: string): Error {
  const shown = JSON.stringify(id.slice(0, 64));
  return agentError(
    "AGENT_PROPOSALS_INVALID",
    `No proposed skill has the id ${shown}; nothing was changed. Look at \`acumen skillbook review\`.`,
    { details: { id: id.slice(0, 64) } },
  );
}

function bothWays(id: string): Error {
  const shown = JSON.stringify(id.slice(0, 64));
  return agentError(
    "AGENT_PROPOSALS_INVALID",
    `${shown} is to be accepted and rejected at once; nothing was changed. Name it once.`,
    { details: { id: id.slice(0, 64) } },
  );
}
