import { sourceCommand, startProcess } from "@acumen/testkit";
import { expect, test } from "vitest";

test("really not installed here: OpenRouter and Vertex AI", async () => {
  const ids = ["openrouter/openai/gpt-5", "vertex_ai/gemini-2.5-pro", "vertex_ai/claude-haiku-4-5"];
  const entry = new URL("../support/resolve-ids.ts", import.meta.url);
  await using child = startProcess(sourceCommand(entry, ids));
  await child.exited;
  const lines = child.stdout().trim().split("\n");
  expect(lines).toHaveLength(ids.length);
  for (const line of lines) {
    expect(line).toMatch(
      /which is not installed\. Run: npm install (?:@openrouter\/ai-sdk-provider@2|@ai-sdk\/google-vertex@4)$/,
    );
  }
});
