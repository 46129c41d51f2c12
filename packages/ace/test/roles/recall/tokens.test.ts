import { expect, test } from "vitest";
import { stem, tokenise } from "../../../src/roles/recall/tokens.ts";

const forms = (text: string): string[] => tokenise(text).map(({ form }) => form);

test.each([
  ["Issued notes, 2.5 % in 2018", ["issu", "note", ",", "#1.1", "%", "in", "#year"]],
  ["May 5", ["#month", "#1"]],
  ["we may march on 12 March", ["we", "may", "march", "on", "#2", "#month"]],
  ["$ 1,250,000 and 25,000", ["$", "#c7", "and", "#c5"]],
  ["the company’s policies", ["the", "company", "policy"]],
  ["東京都", ["東京", "京都"]],
  ["水", ["水"]],
  ["", []],
])("%j has the forms %j", (text, expected) => {
  expect(forms(text)).toEqual(expected);
});

test("gives each token its place", () => {
  const text = "Pay 5 % now";
  expect(tokenise(text).map(({ start, end }) => text.slice(start, end))).toEqual([
    "Pay",
    "5",
    "%",
    "now",
  ]);
});

test("brings forms of a word together and leaves short words alone", () => {
  expect(new Set(["issue", "issues", "issued", "issuing"].map(stem)).size).toBe(1);
  expect(new Set(["reset", "resets", "resetting"].map(stem)).size).toBe(1);
  expect(new Set(["branch", "branches", "branched"].map(stem)).size).toBe(1);
  expect(stem("notes")).toBe("note");
  const short = ["is", "bus", "red", "ring", "gas", "noted", "this"];
  expect(short.map(stem)).toEqual(short);
});
