import type { Skill } from "@acumen/ace";
import { type Review, type ReviewItem, reviewProposals } from "@acumen/agent";
import type { CommandContext } from "../command-context.ts";
import { EXIT_CODES } from "../exit-code.ts";
import { homeOf } from "../settings/home.ts";
import { textLines } from "../skillbook/skill-lines.ts";
import { printable, shortened } from "../terminal/printable.ts";
import type { Terminal } from "../terminal/terminal.ts";

interface Decisions {
  readonly accept?: readonly string[];
  readonly reject?: readonly string[];
}

type Ids = readonly string[] | "all";

/** @throws AGENT_PROPOSALS_INVALID for an unknown id, and then nothing was done */
export async function review(
  { environment, signal, ending }: Pick<CommandContext, "environment" | "signal" | "ending">,
  { accept = [], reject = [] }: Decisions,
): Promise<Review> {
  const reviewed = await reviewProposals({
    home: homeOf(environment.variables).folder,
    accept: idsOf(accept),
    reject: idsOf(reject),
    signal,
  });
  if (reviewed.failed.length > 0) ending.exitCode = EXIT_CODES.failed;
  return reviewed;
}

function idsOf(ids: readonly string[]): Ids {
  return ids.includes("all") ? "all" : ids;
}

export function reviewLines(
  terminal: Terminal,
  { pending, accepted, rejected, failed, unreviewed }: Review,
): string[] {
  const { bold, yellow } = terminal.colours;
  return [
    ...accepted.flatMap(({ id, skillId, ratedLater }) => [
      `${printable(id)} is accepted as ${printable(skillId)}.`,
      ...(ratedLater === undefined
        ? []
        : [yellow(`  The turn it came from was rated ${ratedLater} later.`)]),
    ]),
    ...rejected.map((id) => `${printable(id)} is refused.`),
    ...failed.map(({ id, reason }) => yellow(`${printable(id)} waits on: ${printable(reason)}`)),
    ...pending.flatMap((item) => itemLines(terminal, item)),
    ...(unreviewed.length === 0
      ? []
      : [
          bold("In the skillbook, and used by no session until you accept them:"),
          ...unreviewed.flatMap(({ id, content }) => [
            printable(id),
            ...textLines(terminal, content),
          ]),
        ]),
    ...(pending.length + unreviewed.length > 0
      ? ["", "Decide with --accept ID or --reject ID, or `all`."]
      : ["Nothing waits for a review."]),
  ];
}

function itemLines(
  terminal: Terminal,
  { proposal, before, ratedLater, nearDuplicates }: ReviewItem,
): string[] {
  const { bold, dim, green, red, yellow } = terminal.colours;
  const {
    id,
    change,
    section,
    skill_id: skillId,
    content,
    justification,
    evidence,
    feedback,
  } = proposal;
  const target = skillId === null ? "" : ` ${printable(skillId)}`;
  const signed = (sign: string, text: string): string[] => textLines(terminal, `${sign} ${text}`);
  return [
    bold(`${printable(id)}: ${change}${target} (${printable(section)})`),
    ...(before === undefined || change === "add" ? [] : signed("-", before.content).map(red)),
    ...(change === "remove" ? [] : signed("+", content).map(green)),
    ...(justification === null ? [] : textLines(terminal, `why: ${justification}`).map(dim)),
    ...(evidence === null ? [] : textLines(terminal, `evidence: ${evidence}`).map(dim)),
    ...feedback.flatMap(({ rating, text, session_id: session, seqs }) =>
      textLines(
        terminal,
        `rated ${rating}${text === "" ? "" : `: ${shortened(text, 200)}`} (session ${session}, events ${seqs.join("-")})`,
      ).map(dim),
    ),
    ...(ratedLater === undefined
      ? []
      : textLines(
          terminal,
          `The turn it came from was rated ${ratedLater} later. Look twice before you accept it.`,
        ).map(yellow)),
    ...nearDuplicates.flatMap((twin) =>
      textLines(terminal, `much like ${twin.id}: ${twin.content}`).map(dim),
    ),
  ];
}

export function reviewRecord(reviewed: Review): Readonly<Record<string, unknown>> {
  const { pending, accepted, rejected, failed, unreviewed } = reviewed;
  return {
    pending: pending.map(({ proposal, before, ratedLater, nearDuplicates }) => ({
      ...proposal,
      before: before === undefined ? null : skillRecord(before),
      rated_later: ratedLater ?? null,
      near_duplicates: nearDuplicates,
    })),
    accepted: accepted.map(({ id, skillId, ratedLater }) => ({
      id,
      skill_id: skillId,
      rated_later: ratedLater ?? null,
    })),
    rejected,
    failed,
    unreviewed: unreviewed.map(skillRecord),
  };
}

function skillRecord({ id, section, content }: Skill): object {
  return { id, section, content };
}
