import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { NEGATED_ONLY, NEGATORS, POLARITY_WORDS } from "../../src/evaluation/polarity-words.ts";

const page = readFileSync(new URL("../../../../docs/feedback.md", import.meta.url), "utf8");

it.each([
  ["verdict, positive", POLARITY_WORDS.verdict.positive],
  ["verdict, negative", POLARITY_WORDS.verdict.negative],
  ["liking, positive", POLARITY_WORDS.liking.positive],
  ["liking, negative", POLARITY_WORDS.liking.negative],
  ["judge only when negated", NEGATED_ONLY],
  ["negations", NEGATORS],
])("docs/feedback.md lists the words of: %s", (name, words) => {
  const row = page.split("\n").find((line) => line.startsWith(`| ${name} |`)) ?? "";
  expect([...row.matchAll(/`([^`]+)`/g)].map((match) => match[1])).toEqual([...words]);
});
