import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { chooseSkills, DEFAULT_BUDGET, isLeftOut } from "../../src/skillbook/choose.ts";
import { BLOCK_TOKENS, renderSkills, tokensOfRow } from "../../src/skillbook/prompt-block.ts";
import { SkillIndex } from "../../src/skillbook/skill-index.ts";
import type { Skill } from "../../src/skillbook/skill.ts";
import type { ContextOptions } from "../../src/skillbook/view.ts";
import { estimateTokens } from "../../src/text/estimate-tokens.ts";
import { makeSkill } from "./make-skill.ts";

function choose(
  skills: readonly Skill[],
  question: string,
  options?: ContextOptions,
): readonly Skill[] {
  const index = new SkillIndex();
  index.sync(skills.filter((skill) => skill.status === "active"));
  return chooseSkills(skills, index, question, options);
}

const numbers = (skills: readonly Skill[]): number[] =>
  skills.map((skill) => Number(skill.id.split("-")[1]));
/** Budget for the block and so many rows of the size of this one. */
const room = (skill: Skill, rows: number): number => BLOCK_TOKENS + rows * tokensOfRow(skill);

describe("chooseSkills", () => {
  it("takes all skills when they fit, without asking the index", () => {
    const skills = [makeSkill(3, "c"), makeSkill(1, "a"), makeSkill(2, "b")];
    const unused = {
      scores: (): never => {
        throw new Error("asked");
      },
    };
    expect(numbers(chooseSkills(skills, unused, "anything"))).toEqual([1, 2, 3]);
  });

  it("takes those that fit the question, printed in id order", () => {
    const skills = Array.from({ length: 50 }, (_, i) =>
      makeSkill(i, `lesson about topic${i} here`),
    );
    const budget = room(skills[10] ?? makeSkill(0, ""), 2);
    expect(numbers(choose(skills, "topic40 and topic12", { budget }))).toEqual([12, 40]);
  });

  it("lets the context decide where the question says nothing", () => {
    const skills = Array.from({ length: 50 }, (_, i) =>
      makeSkill(i, `lesson about topic${i} here`),
    );
    const budget = room(skills[10] ?? makeSkill(0, ""), 1);
    expect(
      numbers(choose(skills, "what now?", { budget, context: "we speak of topic33" })),
    ).toEqual([33]);
  });

  it("prefers helpful skills among equally relevant ones", () => {
    const skills = Array.from({ length: 30 }, (_, i) =>
      makeSkill(i, "same lesson words", { helpful: i === 20 ? 5 : 1, harmful: i === 5 ? 0 : 1 }),
    );
    const budget = room(skills[10] ?? makeSkill(0, ""), 2);
    expect(numbers(choose(skills, "lesson", { budget }))).toEqual([5, 20]);
  });

  it("lets relevance win over counters", () => {
    const skills = Array.from({ length: 30 }, (_, i) =>
      makeSkill(i, `rule for part${i}`, { helpful: i === 7 ? 0 : 9, harmful: i === 7 ? 2 : 0 }),
    );
    const budget = room(skills[10] ?? makeSkill(0, ""), 1);
    expect(numbers(choose(skills, "part7", { budget }))).toEqual([7]);
  });

  it("leaves out harmful and removed skills, whatever the budget", () => {
    const skills = [
      makeSkill(1, "bad", { harmful: 3, helpful: 2 }),
      makeSkill(2, "mixed", { harmful: 3, helpful: 3 }),
      makeSkill(3, "young", { harmful: 2 }),
      makeSkill(4, "gone", { status: "invalid" }),
    ];
    expect(numbers(choose(skills, "bad gone"))).toEqual([2, 3]);
    expect(skills.map(isLeftOut)).toEqual([true, false, false, false]);
  });

  it("passes over a skill that is too big and takes the next ones", () => {
    const big = makeSkill(1, `topic ${"x y ".repeat(400)}`);
    const small = makeSkill(2, "topic small");
    const filler = Array.from({ length: 40 }, (_, i) => makeSkill(10 + i, `other thing ${i}`));
    const chosen = choose([big, small, ...filler], "topic", { budget: 150 });
    expect(numbers(chosen)).toContain(2);
    expect(numbers(chosen)).not.toContain(1);
  });

  it.each([Number.NaN, -1])("refuses the budget %d", (budget) => {
    expect(() => choose([makeSkill(1, "a")], "a", { budget })).toThrow(
      expect.objectContaining({ code: "ACE_OPTION_INVALID" }),
    );
  });

  it("gives the same choice for the same book in another order", () => {
    const skills = Array.from({ length: 80 }, (_, i) =>
      makeSkill(i, `alpha word${i % 9} word${i % 4}`),
    );
    const options = { budget: 300 };
    const chosen = numbers(choose(skills, "word3 word2", options));
    expect(chosen.length).toBeGreaterThan(3);
    expect(numbers(choose(skills.toReversed(), "word3 word2", options))).toEqual(chosen);
  });

  it("never goes over the budget, whatever the sizes, and fills it as far as rows allow", () => {
    const content = fc.oneof(
      fc.string({ unit: "binary", maxLength: 60 }),
      fc.nat(2_000).map((n) => "long word ".repeat(n / 10)),
      fc.nat(500).map((n) => "日<|😀".repeat(n)),
    );
    fc.assert(
      fc.property(
        fc.array(content, { maxLength: 60 }),
        fc.oneof(fc.integer({ min: 0, max: 600 }), fc.constant(DEFAULT_BUDGET)),
        fc.string(),
        (contents, budget, question) => {
          const skills = contents.map((text, i) => makeSkill(i, text));
          const chosen = choose(skills, question, { budget });
          const tokens = estimateTokens(renderSkills(chosen));
          expect(tokens).toBeLessThanOrEqual(Math.max(budget, BLOCK_TOKENS));
          if (chosen.length > 0) expect(tokens).toBeLessThanOrEqual(budget);
          const left = skills.filter((skill) => !chosen.includes(skill));
          const used = chosen.reduce((sum, skill) => sum + tokensOfRow(skill), BLOCK_TOKENS);
          for (const skill of left) expect(used + tokensOfRow(skill)).toBeGreaterThan(budget);
        },
      ),
    );
  });
});
