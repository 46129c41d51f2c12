import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { SkillIndex } from "../../src/skillbook/skill-index.ts";
import { makeSkill } from "./make-skill.ts";

const npm = makeSkill(1, "Install with npm ci before the tests", { section: "build" });
const retry = makeSkill(2, "Set maxRetries when the network is slow", { section: "network" });
const style = makeSkill(3, "Name files in kebab-case", { section: "style" });

function ids(index: SkillIndex, query: string, context?: string): string[] {
  return index.rank(query, 10, context).map(({ skill }) => skill.id);
}

describe("SkillIndex", () => {
  it("ranks by words of section and content, identifiers by their parts too", () => {
    const index = new SkillIndex();
    index.sync([npm, retry, style]);
    expect(ids(index, "How many retries?")).toEqual([retry.id]);
    expect(ids(index, "which style")).toEqual([style.id]);
    expect(ids(index, "npm tests, the slow network")).toEqual([retry.id, npm.id]);
    expect(ids(index, "unknown words")).toEqual([]);
    expect(ids(index, "")).toEqual([]);
    expect(index.rank("npm network style", 2)).toHaveLength(2);
  });

  it("puts equal scores in id order", () => {
    const index = new SkillIndex();
    index.sync([10, 9, 100].map((number) => makeSkill(number, "same words")));
    expect(ids(index, "same")).toEqual(["general-00009", "general-00010", "general-00100"]);
  });

  it("counts a word of the context less than one of the question", () => {
    const index = new SkillIndex();
    index.sync([makeSkill(1, "alpha beta"), makeSkill(2, "gamma delta")]);
    expect(ids(index, "gamma", "alpha")).toEqual(["general-00002", "general-00001"]);
    expect(ids(index, "alpha", "gamma")).toEqual(["general-00001", "general-00002"]);
  });

  it("follows changes, removals and additions", () => {
    const index = new SkillIndex();
    index.sync([npm, retry, style], 1);
    const changed = { ...npm, content: "Install with pnpm" };
    const tagged = { ...style, helpful: 4 };
    index.sync([changed, tagged], 2);
    expect(index.size).toBe(2);
    expect(ids(index, "npm")).toEqual([]);
    expect(ids(index, "pnpm")).toEqual([npm.id]);
    expect(ids(index, "retries")).toEqual([]);
    expect(index.rank("kebab", 1)[0]?.skill).toBe(tagged);
    index.sync([], 3);
    expect(index.size).toBe(0);
    expect(ids(index, "pnpm kebab")).toEqual([]);
  });

  it("does nothing for a revision that it holds, and compares when no revision is given", () => {
    const index = new SkillIndex();
    index.sync([npm], 7);
    index.sync([style], 7);
    expect(ids(index, "npm")).toEqual([npm.id]);
    index.sync([style]);
    expect(ids(index, "npm")).toEqual([]);
    index.sync([npm], 7);
    expect(ids(index, "npm")).toEqual([npm.id]);
  });

  it("gives the same scores whether it grew step by step or was built at once", () => {
    const skills = Array.from({ length: 40 }, (_, i) =>
      makeSkill(i, `word${i % 7} word${i % 5} end`),
    );
    const grown = new SkillIndex();
    for (let n = 1; n <= 40; n++) grown.sync(skills.slice(Math.max(0, n - 30), n));
    const built = new SkillIndex();
    built.sync(skills.slice(10));
    expect(grown.rank("word3 word4 end", 99)).toEqual(built.rank("word3 word4 end", 99));
  });

  it("equals an index built at once after any sequence of lists", () => {
    const contents = ["alpha beta", "beta gamma", "gamma", "delta alpha alpha"];
    const pool = Array.from({ length: 14 }, (_, i) => makeSkill(i, contents[i % 4] ?? ""));
    const changed = pool.map((skill, i) => ({ ...skill, content: contents[(i + 1) % 4] ?? "" }));
    // Few changes from list to list, so that skills are carried over, moved and taken out one by one.
    const list = fc
      .tuple(
        fc.shuffledSubarray(pool, { minLength: 0, maxLength: 3 }),
        fc.nat(13),
        fc.boolean(),
        fc.boolean(),
      )
      .map(([moved, place, drop, change]) => {
        const rest = pool.filter((skill) => !moved.includes(skill));
        if (!drop) rest.splice(place, 0, ...moved);
        return rest.map((skill, i) =>
          change && i === place ? (changed[pool.indexOf(skill)] ?? skill) : skill,
        );
      });
    const lists = fc.array(list, { maxLength: 6 });
    fc.assert(
      fc.property(lists, (all) => {
        const grown = new SkillIndex();
        for (const skills of all) {
          grown.sync(skills);
          const built = new SkillIndex();
          built.sync(skills);
          expect(grown.size).toBe(skills.length);
          expect(grown.rank("alpha gamma delta", 99)).toEqual(built.rank("alpha gamma delta", 99));
        }
      }),
      { numRuns: 500 },
    );
  });

  it("looks up only the rarest words of a long query", () => {
    const index = new SkillIndex();
    const vocabulary = Array.from({ length: 300 }, (_, i) => `term${i}`);
    index.sync([
      ...vocabulary.map((word, i) => makeSkill(i, `${word} common`)),
      makeSkill(999, "common ground"),
    ]);
    expect(index.rank(`${vocabulary.join(" ")} common`, 999)).toHaveLength(64);
  });
});
