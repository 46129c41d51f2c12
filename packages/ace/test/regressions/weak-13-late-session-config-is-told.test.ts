import { tempFolder } from "@acumen/testkit";
import { writeFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { testEngine } from "../integrations/mcp/support/engine.ts";

const ASK = { session_id: "s", question: "q" };

describe("weak point 13: clients know which model a session uses", () => {
  it("every reply that used a model names it, and says when session_config came too late", async () => {
    const engine = testEngine();
    expect((await engine.call("ace.ask", ASK)).meta).toMatchObject({
      "acumen/session": { model: "builtin/recall" },
    });
    for (const [tool, args] of [
      ["ace.ask", ASK],
      ["ace.learn.sample", { session_id: "s", samples: [{ question: "q" }] }],
      ["ace.learn.feedback", { ...ASK, answer: "a", feedback: "Wrong." }],
    ] as const) {
      const { meta } = await engine.call(tool, { ...args, session_config: { model: "openai/x" } });
      expect(meta).toMatchObject({
        "acumen/session": { model: "builtin/recall", ignored: true },
      });
    }
  });

  it("after a load the first call still chooses the model", async () => {
    await using folder = await tempFolder();
    const book = '{"format":"acumen.skillbook","version":1,"skills":{}}';
    await writeFile(folder.join("a.json"), book);
    const engine = testEngine({ config: { defaultModel: "gpt-4o-mini" } });
    await engine.reply("ace.skillbook.load", { session_id: "s", path: folder.join("a.json") });
    const config = { model: "builtin/recall" };
    const { meta } = await engine.call("ace.ask", { ...ASK, session_config: config });
    expect(meta).toMatchObject({ "acumen/session": { model: "builtin/recall" } });
    expect(JSON.stringify(meta)).not.toContain("ignored");
  });
});
