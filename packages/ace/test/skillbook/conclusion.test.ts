import { describe, expect, it } from "vitest";

import { readLesson } from "../../src/skillbook/conclusion.ts";
import { stem } from "../../src/skillbook/conclusion-words.ts";

const wordsOf = (content: string): string => readLesson(content).words.join(" ");

describe("readLesson", () => {
  it.each([
    ["Always run the tests, please.", "run test"],
    ["RUN THE TESTS", "run test"],
    ["It doesn't matter; they can't win", "!not matter they !not win"],
    ['Use `npm ci`, say "All done"', 'use !`npm ci say !"all done'],
    ["Team A of the IT department. A retry helps", "team !A !IT department retry help"],
    ["Pay 1,000 or ten at 5% - maybe", "pay !1000 !or !10 at !5% !- !maybe"],
    ["Shift by −5 → stop", "shift by !-5 !→ !stop"],
    ["e.g. red,green -- blue", "red green !-- blue"],
    ["Call foo() in src/a.ts with --force", "call !foo() in !src/a.ts with !--force"],
    ["It is that.", "!it is that"],
    ["make sure to make it (now)", "make now"],
  ])("reads %j as %j", (content, words) => {
    expect(wordsOf(content)).toBe(words);
  });

  it("takes answer and deciding words as the conclusion", () => {
    const of = (content: string): string => readLesson(content).conclusion;
    expect(of("Late parcels\nAnswer: Logistics.")).toBe(of("Other words\nAnswer: logistics"));
    expect(of("Late parcels\nAnswer: ")).not.toBe(of("Late parcels"));
    expect(of("a 5 b")).toBe(of("c five d"));
  });

  it("lets only small words and intensifiers be optional", () => {
    const { words, optional } = readLesson("Actually ask my Premium support for not QA it");
    expect(words).toEqual(["actually", "ask", "my", "premium", "support", "for", "!not", "qa"]);
    expect(optional).toEqual([true, false, true, false, false, true, false, false]);
  });

  it("reads the same chunk alike wherever it stands first", () => {
    expect(readLesson("Your support").optional).toEqual([true, false]);
    expect(readLesson("Ask Your").optional).toEqual([false, false]);
    expect(readLesson("Your support").optional).toEqual([true, false]);
  });
});

describe("stem", () => {
  it.each([
    ["test", ["tests", "tested", "testing"]],
    ["stop", ["stops", "stopped", "stopping"]],
    ["commit", ["commits", "committed", "committing"]],
    ["try", ["tries", "tried"]],
    ["class", ["classes"]],
    ["pass", ["passes", "passed", "passing"]],
    ["add", ["adds", "added", "adding"]],
    ["cache", ["caches", "cached", "caching"]],
    ["validate", ["validates", "validated", "validating"]],
    ["remove", ["removes", "removed", "removing"]],
    ["close", ["closes", "closed", "closing"]],
    ["handle", ["handles", "handled", "handling"]],
    ["configure", ["configures", "configured", "configuring"]],
  ])("gives %j for %j", (base, forms) => {
    expect(forms.map(stem)).toEqual(forms.map(() => base));
  });

  it.each([
    ["http", "https"],
    ["window", "windows"],
    ["file", "fill"],
    ["plan", "plane"],
    ["strip", "stripe"],
    ["form", "from"],
    ["sing", "s"],
    ["user", "use"],
  ])("keeps %j and %j apart", (a, b) => {
    expect(stem(a)).not.toBe(stem(b));
  });
});
