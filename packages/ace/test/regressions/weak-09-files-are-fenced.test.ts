import { tempFolder } from "@acumen/testkit";
import { readFile, writeFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { testEngine, type TestEngine } from "../integrations/mcp/support/engine.ts";
import { stubFactory } from "../integrations/mcp/support/stub-runner.ts";

async function withSession(config: { skillbookRoot?: string } = {}): Promise<TestEngine> {
  const engine = testEngine({ createRunner: stubFactory().create, config });
  await engine.reply("ace.ask", { session_id: "s", question: "q" });
  return engine;
}

describe("weak point 9: a client can neither overwrite nor probe arbitrary files", () => {
  it("without a root, save writes .json names alone and never over what is no skillbook", async () => {
    await using folder = await tempFolder();
    const engine = await withSession();
    for (const [name, reason] of [
      [".bashrc", "bad_extension"],
      ["package.json", "not_a_skillbook"],
    ] as const) {
      await writeFile(folder.join(name), "precious");
      const args = { session_id: "s", path: folder.join(name) };
      expect(await engine.failure("ace.skillbook.save", args)).toMatchObject({
        details: { reason },
      });
      expect(await readFile(folder.join(name), "utf8")).toBe("precious");
    }
  });

  it("with a root, what lies outside cannot be told from what does not exist", async () => {
    await using folder = await tempFolder();
    await using outside = await tempFolder();
    await writeFile(outside.join("there.json"), "secret contents");
    const engine = await withSession({ skillbookRoot: folder.path });
    const answers = await Promise.all(
      ["there.json", "not-there.json"].map(async (name) => {
        const path = outside.join(name);
        const error = await engine.failure("ace.skillbook.load", { session_id: "s", path });
        return JSON.stringify(error).replaceAll(name, "name");
      }),
    );
    expect(answers[0]).toBe(answers[1]);
    expect(answers[0]).not.toContain("secret");
  });

  it("a load error shows nothing of the file", async () => {
    await using folder = await tempFolder();
    await writeFile(folder.join("a.json"), "secret contents");
    const engine = await withSession();
    const error = await engine.failure("ace.skillbook.load", {
      session_id: "s",
      path: folder.join("a.json"),
    });
    expect(JSON.stringify(error)).not.toContain("secret");
    expect(error.details["reason"]).toBe("not_a_skillbook");
  });

  it("a device or pipe is no file, and does not hang the server", async () => {
    const engine = await withSession();
    for (const path of ["/dev/zero", "/dev/tty", "/proc/self/mem", "/"]) {
      const error = await engine.failure("ace.skillbook.load", { session_id: "s", path });
      expect(error.code).toBe("ACE_MCP_VALIDATION_ERROR");
    }
  });
});
