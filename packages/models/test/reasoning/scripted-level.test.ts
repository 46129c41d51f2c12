import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { tempFolder } from "@acumen/testkit";
import { expect, test } from "vitest";
import { resolveModel } from "../../src/index.ts";
import { createScriptedModel } from "../../src/testing/index.ts";
import { ask, failureOf } from "../support/wires.ts";

const steps = [
  { expect: { thoughtLevel: "high" }, text: "long thought" },
  { expect: { thoughtLevel: "default" }, text: "as usual" },
];

test("a script says which levels its model takes, and expects one", async () => {
  const model = createScriptedModel({ thoughtLevels: ["low", "high"], steps });
  expect(model.capabilities.thoughtLevels).toEqual(["low", "high"]);
  await model.generate({ messages: ask("hi"), thoughtLevel: "high" });
  await model.generate({ messages: ask("hi") });
  const refused = model.generate({ messages: ask("hi"), thoughtLevel: "max" });
  expect(await failureOf(refused)).toMatchObject({ details: { kind: "bad_request" } });
  expect(model.calls).toHaveLength(2);
});

test("another level than the expected one is a mismatch", async () => {
  const model = createScriptedModel({ thoughtLevels: ["low", "high"], steps });
  const call = model.generate({ messages: ask("hi"), thoughtLevel: "low" });
  expect(await failureOf(call)).toMatchObject({
    code: "MODEL_SCRIPT_MISMATCH",
    details: { expected: "high", actual: "low" },
  });
});

test("the file of a script says it too", async () => {
  await using folder = await tempFolder();
  const path = join(folder.path, "script.json");
  await writeFile(path, JSON.stringify({ thoughtLevels: ["low"], steps: [{ text: "a" }] }));
  const model = await resolveModel(`scripted/${path}`, { env: {}, allowScripted: true });
  expect(model.capabilities.thoughtLevels).toEqual(["low"]);
});
