import { expect, test } from "vitest";
import { citedSkillIds } from "../../src/roles/citations.ts";

test("weak point 25: citations with hyphens, digits, other scripts and lists are found, invented ids are not kept", () => {
  const shown = ["error-handling-00001", "oauth2-00001", "a-00001", "a-00002", "größe-00003"];
  const text =
    "First [error-handling-00001], then [oauth2-00001], [a-00001, a-00002] and [größe-00003]; also [made-up-00007].";
  expect(citedSkillIds(text, shown)).toEqual(shown);
});
