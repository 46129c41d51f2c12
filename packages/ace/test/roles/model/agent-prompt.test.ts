import { expect, test } from "vitest";
import { CACHE_MARK } from "@acumen/models";
import { FakeClock } from "@acumen/testkit";
import { ModelAgent } from "../../../src/roles/model/model-agent.ts";
import { Skillbook } from "../../../src/skillbook/skillbook.ts";
import { agentInput, sampleBook } from "./sample-inputs.ts";
import { stubModel, systemText, userText } from "./stub-model.ts";

const ANSWER = { reasoning: "r", final_answer: "a", skill_ids: [] };

async function promptFor(input = agentInput(), clock = new FakeClock()) {
  const model = stubModel(ANSWER);
  await new ModelAgent(model, { clock }).answer(input);
  return model.requests[0]?.messages ?? [];
}

test("weak point 30: the date is that of the call", async () => {
  const clock = new FakeClock();
  const model = stubModel(ANSWER);
  const agent = new ModelAgent(model, { clock });
  await agent.answer(agentInput());
  const day = clock.now().toISOString().slice(0, 10);
  clock.advance(24 * 3_600_000);
  await agent.answer(agentInput());
  const dates = model.requests.map(
    ({ messages }) => /Today is ([\d-]+)\./.exec(systemText(messages))?.[1],
  );
  expect(dates).toEqual([day, clock.now().toISOString().slice(0, 10)]);
});

test("the skills come first and are the same text that asContext gives", async () => {
  const skillbook = sampleBook();
  const input = agentInput({ skillbook });
  const text = userText(await promptFor(input));
  expect(text.startsWith(skillbook.asContext(input.question, { context: input.context }))).toBe(
    true,
  );
});

test("an empty book is said to be empty; an empty context too", async () => {
  const text = userText(await promptFor(agentInput({ skillbook: new Skillbook(), context: " " })));
  expect(text).toContain("(empty skillbook)");
  expect(text).toContain('<given name="context" origin="user">\n(none)\n</given>');
});

function marks(messages: Awaited<ReturnType<typeof promptFor>>) {
  const user = messages.find(({ role }) => role === "user");
  if (user === undefined || typeof user.content === "string") return [];
  return user.content.map((part) => part.providerOptions);
}

test("skills that every question gets carry the mark of the prompt cache", async () => {
  expect(marks(await promptFor())).toEqual([CACHE_MARK, undefined]);
});

test("skills chosen for one question do not, nor does an empty block", async () => {
  const skillbook = new Skillbook();
  skillbook.apply(
    Array.from({ length: 1_000 }, (_, i) => ({
      type: "ADD",
      section: "s",
      content: `When module${i} misbehaves, read its log and restart worker${i} before anything else.`,
    })),
  );
  expect(marks(await promptFor(agentInput({ skillbook })))).toEqual([undefined, undefined]);
  expect(marks(await promptFor(agentInput({ skillbook: new Skillbook() })))).toEqual([
    undefined,
    undefined,
  ]);
});
