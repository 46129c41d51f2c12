import { tempFolder } from "@acumen/testkit";
import { mkdir, readdir, symlink, writeFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { testEngine } from "../integrations/mcp/support/engine.ts";
import { stubFactory } from "../integrations/mcp/support/stub-runner.ts";

describe("links within the root (filesystem-mcp-server#21, modelcontextprotocol/servers#1845)", () => {
  it("never lead out, and a sibling of a similar name is outside", async () => {
    await using folder = await tempFolder();
    await mkdir(folder.join("root"));
    await mkdir(folder.join("root-evil"));
    await writeFile(
      folder.join("root-evil", "a.json"),
      '{"format":"acumen.skillbook","version":1,"skills":{}}',
    );
    await symlink(folder.join("root-evil"), folder.join("root", "link"));
    await symlink(folder.join("root-evil", "a.json"), folder.join("root", "file.json"));
    const engine = testEngine({
      createRunner: stubFactory().create,
      config: { skillbookRoot: folder.join("root") },
    });
    await engine.reply("ace.ask", { session_id: "s", question: "q" });
    for (const path of ["link/a.json", "file.json", folder.join("root-evil", "a.json")]) {
      for (const tool of ["ace.skillbook.load", "ace.skillbook.save"] as const) {
        const error = await engine.failure(tool, { session_id: "s", path });
        expect(error.code).toBe("ACE_MCP_VALIDATION_ERROR");
      }
    }
    expect(await readdir(folder.join("root-evil"))).toEqual(["a.json"]);
  });
});
