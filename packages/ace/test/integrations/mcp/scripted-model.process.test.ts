import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { tempFolder } from "@acumen/testkit";
import { describe, expect, it } from "vitest";
import { answer, reflection, update } from "./support/model-wires.ts";
import { startServer } from "./support/server-process.ts";

const text = ({ json }: { readonly json: unknown }) => ({ text: JSON.stringify(json) });

const SCRIPT = {
  steps: [
    { ...text(answer()), expect: { systemIncludes: "You are the agent" } },
    { ...text(reflection()), expect: { lastUserIncludes: "Wrong." } },
    text(update({ content: "Open the price list.", evidence: "e" })),
    { ...text(answer({ final_answer: "12.50" })), expect: { lastUserIncludes: "general-00001" } },
  ],
};

describe("a scripted model", () => {
  it("plays the whole loop when the starting process names it", async () => {
    await using folder = await tempFolder("acumen-script");
    const path = join(folder.path, "script.json");
    writeFileSync(path, JSON.stringify(SCRIPT));
    await using server = await startServer({ ACE_MCP_DEFAULT_MODEL: `scripted/${path}` });
    const ask = { session_id: "s", question: "q" };
    expect(await server.reply("ace.ask", ask)).toMatchObject({ answer: "42" });
    await server.reply("ace.learn.feedback", { ...ask, answer: "42", feedback: "Wrong." });
    expect(await server.reply("ace.ask", ask)).toMatchObject({ answer: "12.50", skill_count: 1 });
    // After the last step it says so.
    const error = await server.failure("ace.ask", ask);
    expect(error).toMatchObject({
      code: "ACE_MCP_PROVIDER_ERROR",
      details: { provider: "scripted", kind: "bad_request", retryable: false },
    });
    expect(error.message).toMatch(/4 steps/);
  });
});
