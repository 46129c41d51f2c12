import { expect, test } from "vitest";
import {
  EMPTY_PROPOSALS,
  PROPOSAL_LIMITS,
  type ProposalDraft,
  withoutProposals,
  withProposals,
} from "../../src/learning/proposal.ts";

const NOW = "2026-03-04T00:00:00.000Z";
const evidence = {
  session_id: "s",
  turn_id: "t",
  seqs: [1, 5],
  rating: "good",
  text: "",
  cwd: "/repository",
  at: NOW,
} as const;
const draft = (content: string, more: Partial<ProposalDraft> = {}): ProposalDraft => ({
  change: "add",
  skill_id: null,
  section: "testing",
  content,
  justification: null,
  evidence: null,
  sources: [],
  feedback: [{ ...evidence, seqs: [1, 5] }],
  ...more,
});

test("what waits is bounded, and so is the evidence of one proposal", () => {
  const many = Array.from({ length: PROPOSAL_LIMITS.proposals + 2 }, (_item, i) =>
    draft(`Lesson ${i}.`),
  );
  const { file, proposed, dropped } = withProposals(EMPTY_PROPOSALS, many, NOW);
  expect(proposed).toHaveLength(PROPOSAL_LIMITS.proposals);
  expect(dropped.map(({ reason }) => reason)).toEqual(["full", "full"]);
  let current = file;
  for (let i = 0; i < 20; i += 1) {
    const feedback = [{ ...evidence, seqs: [1, 5], turn_id: `turn ${i}` }];
    current = withProposals(current, [draft("lesson 0", { feedback })], NOW).file;
  }
  expect(current.proposals[0]?.feedback).toHaveLength(PROPOSAL_LIMITS.feedback);
  expect(current.proposals).toHaveLength(PROPOSAL_LIMITS.proposals);
});

test("refused texts are remembered, the oldest forgotten", () => {
  let file = EMPTY_PROPOSALS;
  const count = PROPOSAL_LIMITS.rejected + 1;
  for (let from = 0; from < count; from += 400) {
    const drafts = Array.from({ length: Math.min(400, count - from) }, (_item, i) =>
      draft(`Lesson ${from + i}.`),
    );
    file = withProposals(file, drafts, NOW).file;
    const ids = new Set(file.proposals.map(({ id }) => id));
    file = withoutProposals(file, new Set(), ids, NOW);
  }
  expect(file.rejected).toHaveLength(PROPOSAL_LIMITS.rejected);
  const again = [draft("Lesson 0."), draft("Lesson 1.")];
  const { proposed, dropped } = withProposals(file, again, NOW);
  expect(proposed.map(({ content, id }) => [content, id])).toEqual([["Lesson 0.", "p-02002"]]);
  expect(dropped).toEqual([{ content: "Lesson 1.", reason: "rejected" }]);
});

test("a change of one skill is not that of another, nor a new skill of the same text", () => {
  const drafts = [
    draft("Run it."),
    draft("Run it.", { change: "update", skill_id: "a-00001" }),
    draft("Run it.", { change: "update", skill_id: "a-00002" }),
    draft("Old text.", { change: "remove", skill_id: "a-00001" }),
    draft("Other text.", { change: "remove", skill_id: "a-00001" }),
    draft("!!"),
    draft("??"),
  ];
  const { proposed } = withProposals(EMPTY_PROPOSALS, drafts, NOW);
  expect(proposed.map(({ change, skill_id: skill, content }) => [change, skill, content])).toEqual([
    ["add", null, "Run it."],
    ["update", "a-00001", "Run it."],
    ["update", "a-00002", "Run it."],
    ["remove", "a-00001", "Old text."],
    ["add", null, "!!"],
    ["add", null, "??"],
  ]);
});
