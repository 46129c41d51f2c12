import { tempFolder } from "@acumen/testkit";
import { describe, expect, it } from "vitest";
import { testEngine } from "../integrations/mcp/support/engine.ts";

describe("two processes on one file (modelcontextprotocol/servers#4797)", () => {
  it("lose no write: a file that changed meanwhile is merged", async () => {
    await using root = await tempFolder();
    const config = { skillbookRoot: root.path };
    const engines = [testEngine({ config }), testEngine({ config })] as const;
    const learn = async (index: 0 | 1, truth: string): Promise<void> => {
      const sample = { question: `Which code has ${truth}?`, ground_truth: truth };
      await engines[index].reply("ace.learn.sample", { session_id: "s", samples: [sample] });
    };
    const place = { session_id: "s", path: "shared.json" };
    await learn(0, "alpha");
    await engines[0].reply("ace.skillbook.save", place);
    await engines[1].reply("ace.skillbook.load", place);
    await Promise.all([learn(0, "beta"), learn(1, "gamma")]);
    const [first, second] = await Promise.all([
      engines[0].call("ace.skillbook.save", place),
      engines[1].call("ace.skillbook.save", place),
    ]);
    const modes = [first, second].map(({ meta }) => JSON.stringify(meta));
    expect(modes.toSorted()).toEqual(
      ['{"acumen/save":{"mode":"merged"}}', '{"acumen/save":{"mode":"replaced"}}'].toSorted(),
    );
    const reader = testEngine({ config });
    await reader.reply("ace.skillbook.load", place);
    expect(await reader.reply("ace.skillbook.get", { session_id: "s" })).toMatchObject({
      stats: { skills: 3 },
    });
  });
});
