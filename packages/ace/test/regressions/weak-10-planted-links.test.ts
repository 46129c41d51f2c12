import { tempFolder } from "@acumen/testkit";
import { mkdir, readdir, readFile, rename, rm, symlink, writeFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { readBook, writeBook } from "../../src/integrations/mcp/book-files.ts";
import { PathPolicy } from "../../src/integrations/mcp/paths.ts";
import { Session } from "../../src/integrations/mcp/session.ts";
import { testEngine } from "../integrations/mcp/support/engine.ts";
import { stubFactory } from "../integrations/mcp/support/stub-runner.ts";

describe("weak point 10: a link planted between check and open leads nowhere", () => {
  it("save and load look again at the open file", async () => {
    await using folder = await tempFolder();
    await mkdir(folder.join("root", "sub"), { recursive: true });
    await mkdir(folder.join("outside"));
    const foreign = '{"format":"acumen.skillbook","version":1,"skills":{}}';
    await writeFile(folder.join("outside", "a.json"), foreign);
    await writeFile(folder.join("root", "sub", "a.json"), foreign);
    // The swap happens when the policy has said yes and before the file is opened.
    const swap = async (): Promise<void> => {
      await rename(folder.join("root", "sub"), folder.join(`moved-${performance.now()}`));
      await symlink(folder.join("outside"), folder.join("root", "sub"));
    };
    class SwappingPolicy extends PathPolicy {
      override async forLoad(raw: string) {
        const source = await super.forLoad(raw);
        await swap();
        return source;
      }
      override async forSave(raw: string) {
        const target = await super.forSave(raw);
        // After the last look at the folders by name.
        return { ...target, makeFolder: () => target.makeFolder().then(swap) };
      }
    }
    const refusal = {
      code: "ACE_MCP_VALIDATION_ERROR",
      details: { skillbook_root: folder.join("root") },
    };
    const policy = new SwappingPolicy(folder.join("root"));
    await expect(readBook(await policy.forLoad("sub/a.json"))).rejects.toMatchObject(refusal);

    await rm(folder.join("root", "sub"));
    await mkdir(folder.join("root", "sub"));
    const target = await policy.forSave("sub/a.json");
    const saving = writeBook(new Session("s"), target, new AbortController().signal);
    await expect(saving).rejects.toMatchObject(refusal);
    // A new name has no file to look at before it is written.
    await rm(folder.join("root", "sub"));
    await mkdir(folder.join("root", "sub"));
    const fresh = await policy.forSave("sub/new.json");
    const creating = writeBook(new Session("s"), fresh, new AbortController().signal);
    await expect(creating).rejects.toMatchObject(refusal);

    expect(await readFile(folder.join("outside", "a.json"), "utf8")).toBe(foreign);
    expect(await readdir(folder.join("outside"))).toEqual(["a.json"]);
  });

  it("relative paths start at the root", async () => {
    await using root = await tempFolder();
    const engine = testEngine({
      createRunner: stubFactory().create,
      config: { skillbookRoot: root.path },
    });
    await engine.reply("ace.ask", { session_id: "s", question: "q" });
    const args = { session_id: "s", path: "a.json" };
    expect(await engine.reply("ace.skillbook.save", args)).toMatchObject({
      path: root.join("a.json"),
    });
  });
});
