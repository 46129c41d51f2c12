import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { silentLogger } from "@acumen/core";
import { FakeClock, tempFolder } from "@acumen/testkit";
import { describe, expect, it } from "vitest";
import { aceRunner } from "../../../src/integrations/mcp/engine.ts";
import { Skillbook } from "../../../src/skillbook/skillbook.ts";
import { testConfig, testEngine } from "./support/engine.ts";
import { answer } from "./support/model-wires.ts";

const text = ({ json }: { readonly json: unknown }) => ({ text: JSON.stringify(json) });

describe("a scripted model", () => {
  it("goes on where its session was, whatever becomes of runner and session", async () => {
    await using folder = await tempFolder("acumen-script");
    const path = join(folder.path, "script.json");
    const steps = ["one", "two", "three"].map((final_answer) => text(answer({ final_answer })));
    writeFileSync(path, JSON.stringify({ steps }));
    const clock = new FakeClock();
    const config = { defaultModel: `scripted/${path}`, sessionTtlSeconds: 60 };
    const engine = testEngine({ config, clock });
    const ask = async (session_id: string): Promise<unknown> =>
      (await engine.reply("ace.ask", { session_id, question: "q" }))["answer"];
    expect(await ask("s")).toBe("one");
    const book = { session_id: "s", path: join(folder.path, "book.json") };
    await engine.reply("ace.skillbook.save", book);
    await engine.reply("ace.skillbook.load", book);
    expect(await ask("s")).toBe("two");
    clock.advance(61_000);
    engine.registry.sweep();
    expect(engine.registry.size).toBe(0);
    expect(await ask("s")).toBe("three");
    expect(await ask("other")).toBe("one");
  });

  it.each(["scripted/x.json", "recorded/x.json", " Scripted/x.json", "scripted"])(
    "%j is refused from the wire",
    async (model) => {
      const engine = testEngine({ config: { defaultModel: "scripted/x.json" } });
      const args = { session_id: "s", question: "q", session_config: { model } };
      expect(await engine.failure("ace.ask", args)).toMatchObject({
        code: "ACE_MCP_VALIDATION_ERROR",
        details: { field: "session_config.model", model },
      });
    },
  );

  it("is refused once more where runners are built, unless it is the server's own default", async () => {
    const context = { skillbook: new Skillbook(), logger: silentLogger };
    const build = aceRunner({ config: testConfig({ defaultModel: "scripted/a.json" }), env: {} });
    await expect(build({ model: "scripted/b.json" }, context)).rejects.toMatchObject({
      details: { kind: "unknown_model" },
    });
    await expect(build({ model: "scripted/a.json" }, context)).rejects.toMatchObject({
      code: "MODEL_SCRIPT_INVALID",
    });
  });

  it("that could not be read is read again by the next call", async () => {
    await using folder = await tempFolder("acumen-script");
    const path = join(folder.path, "script.json");
    const engine = testEngine({ config: { defaultModel: `scripted/${path}` } });
    const args = { session_id: "s", question: "q" };
    expect(await engine.failure("ace.ask", args)).toMatchObject({ code: "MODEL_SCRIPT_INVALID" });
    writeFileSync(path, JSON.stringify({ steps: [text(answer())] }));
    expect(await engine.reply("ace.ask", args)).toMatchObject({ answer: "42" });
  });

  it("that cannot be read is a provider error that names the file", async () => {
    const engine = testEngine({ config: { defaultModel: "scripted/no-such-file.json" } });
    const error = await engine.failure("ace.ask", { session_id: "s", question: "q" });
    expect(error).toMatchObject({ code: "MODEL_SCRIPT_INVALID" });
    expect(error.message).toContain("no-such-file.json");
  });
});

describe("session_config", () => {
  it("chooses model, temperature and output limit of its session", async () => {
    const calls: Record<string, unknown>[] = [];
    const engine = testEngine({
      createRunner: async (settings) => {
        calls.push({ ...settings });
        throw new Error("no runner is needed here");
      },
    });
    const session_config = { model: "anthropic/claude-x", temperature: 0.5, max_tokens: 777 };
    await engine.call("ace.ask", { session_id: "s", question: "q", session_config }).catch(() => 0);
    expect(calls).toEqual([{ model: "anthropic/claude-x", temperature: 0.5, maxTokens: 777 }]);
  });
});
