import { expect, test } from "vitest";
import { agentPrompt } from "../../../src/roles/model/agent-prompt.ts";
import { reflectorPrompt } from "../../../src/roles/model/reflector-prompt.ts";
import { skillManagerPrompt } from "../../../src/roles/model/skill-manager-prompt.ts";
import { agentInput, reflectorInput, sampleBook, skillManagerInput } from "./sample-inputs.ts";
import { promptAsText } from "./stub-model.ts";

const skills = sampleBook().skills();

test("the agent's prompt as a whole", async () => {
  const messages = agentPrompt(agentInput(), skills, new Date("2026-03-04T23:59:00Z"));
  await expect(promptAsText(messages)).toMatchFileSnapshot("../__snapshots__/agent-prompt.md");
});

test("the reflector's prompt as a whole", async () => {
  const messages = reflectorPrompt(reflectorInput(), skills.slice(0, 1));
  await expect(promptAsText(messages)).toMatchFileSnapshot("../__snapshots__/reflector-prompt.md");
});

test("the skill manager's prompt as a whole", async () => {
  const messages = skillManagerPrompt(skillManagerInput(), skills);
  await expect(promptAsText(messages)).toMatchFileSnapshot(
    "../__snapshots__/skill-manager-prompt.md",
  );
});
