import type { ApplyReport, Skillbook, SkippedOperation } from "@acumen/ace";
import { isVouched, vouchingNotes } from "../skills/vouched.ts";
import type { ProposalDraft } from "./proposal.ts";

export type Carried =
  | { readonly ok: true; readonly skillId: string }
  | { readonly ok: false; readonly reason: string };

/**
 * Carries out one proposal in the machine's book, and stands up for its text, so that sessions use it. A new skill that the book says already
 * becomes that one.
 * @param voucher who stands up for it: a review, or learning without one
 */
export function carryOut(
  skillbook: Skillbook,
  draft: ProposalDraft,
  voucher: "review" | "auto",
): Carried {
  const { change, skill_id: skillId, section, content, justification, evidence } = draft;
  const sources = vouchedSources(draft, voucher);
  if (change === "add") {
    const operation = { type: "ADD", section, content, justification, evidence, sources };
    const report = skillbook.apply([operation], { origin: "session" });
    const [skipped] = report.skipped;
    if (skipped?.reason === "duplicate" && skipped.skillId !== undefined) {
      return vouchFor(skillbook, skipped.skillId, voucher);
    }
    return outcome(report);
  }
  if (change === "remove") return outcome(skillbook.apply([{ type: "REMOVE", skillId }]));
  const texts = {
    content,
    ...(justification !== null && { justification }),
    ...(evidence !== null && { evidence }),
  };
  const operation = { type: "UPDATE", skillId, ...texts, sources };
  return outcome(skillbook.apply([operation], { origin: "session" }));
}

/** Stands up for the text of a skill that is in the book. */
export function vouchFor(
  skillbook: Skillbook,
  skillId: string,
  voucher: "review" | "auto",
): Carried {
  const skill = skillbook.get(skillId);
  if (skill?.status !== "active") return { ok: false, reason: `There is no skill "${skillId}".` };
  if (isVouched(skill)) return { ok: true, skillId };
  const { content } = skill;
  skillbook.apply([{ type: "UPDATE", skillId, content, sources: [vouching(content, voucher)] }]);
  const vouched = skillbook.get(skillId);
  if (vouched && isVouched(vouched)) return { ok: true, skillId };
  return { ok: false, reason: `The skill ${skillId} has no room for another source.` };
}

function vouchedSources({ content, sources }: ProposalDraft, voucher: "review" | "auto") {
  const [first, ...others] = sources;
  const notes = { ...vouchingNotes(content), vouched_by: voucher };
  if (first === undefined) return [vouching(content, voucher)];
  return [{ ...first, notes }, ...others];
}

function vouching(content: string, voucher: "review" | "auto") {
  const notes = { ...vouchingNotes(content), vouched_by: voucher };
  return { sourceSystem: voucher, traceId: "skillbook", relation: "supporting", notes };
}

function outcome({ applied: [applied], skipped: [skipped] }: ApplyReport): Carried {
  if (applied) return { ok: true, skillId: applied.skillId };
  return { ok: false, reason: messageOf(skipped) };
}

function messageOf(skipped: SkippedOperation | undefined): string {
  return skipped?.message ?? "The skillbook did not take it.";
}
