import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { tempFolder } from "@acumen/testkit";
import { describe, expect, test } from "vitest";
import { samplesOf, startAceMcp } from "./support/ace-mcp.ts";
import { seededRandom } from "./support/random.ts";
import { bookText, readBook } from "./support/skillbook-files.ts";

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** The one autosaved session file below a root. */
function autosaved(root: string): string {
  const folder = join(root, ".ace-sessions");
  const [file, ...others] = readdirSync(folder).filter((name) => name.endsWith(".json"));
  expect(others).toEqual([]);
  return join(folder, file ?? "");
}

describe("kill -9", () => {
  test("during save: the file is the old or the new book, whole, whatever the moment", async () => {
    await using folder = await tempFolder("acumen-kill-save");
    const sizes = { small: 800, large: 3_000 } as const;
    for (const [mark, size] of Object.entries(sizes))
      writeFileSync(folder.join(`${mark}.json`), bookText(size, mark));
    const random = seededRandom(20_261_130);
    const seen = new Set<string>();
    let interrupted = 0;
    for (let round = 0; round < 12; round += 1) {
      await using client = await startAceMcp({ root: folder.path });
      // A name of its own each time: the lock of a killed process expires only after a while.
      const file = `book-${round}.json`;
      // One session turns from one book to the other and back, and saves each under the same name.
      const turn = async (mark: string): Promise<boolean> => {
        await client.call("ace.skillbook.load", { session_id: "s", path: `${mark}.json` });
        const save = { session_id: "s", path: file };
        return (await client.call("ace.skillbook.save", save)).isError;
      };
      const started = performance.now();
      expect(await turn("large")).toBe(false);
      expect(await turn("small")).toBe(false);
      const bothTook = performance.now() - started;
      const turns = (async () => {
        for (let index = 0; index < 12; index += 1) await turn(index % 2 === 0 ? "large" : "small");
      })().then(
        () => false,
        () => true,
      );
      // Moments are spread over the first four saves, however fast this machine is.
      await pause(random() * 2 * bothTook);
      client.process.kill("SIGKILL");
      if (await turns) interrupted += 1;
      const { skills } = readBook(folder.join(file));
      const marks = new Set(Object.keys(skills).map((id) => id.split("-")[0] ?? ""));
      expect(marks.size).toBe(1);
      const [mark = ""] = marks;
      expect(Object.keys(skills)).toHaveLength(sizes[mark as keyof typeof sizes]);
      seen.add(mark);
    }
    expect([...seen].toSorted()).toEqual(["large", "small"]);
    expect(interrupted).toBeGreaterThan(7);
    // What a killed process leaves beside the file must not get in the way of the next save.
    await using client = await startAceMcp({ root: folder.path });
    const last = { session_id: "s", path: "book-11.json" };
    await client.call("ace.skillbook.load", last);
    expect((await client.call("ace.skillbook.save", last)).isError).toBe(false);
  });

  test("during learning with autosave: everything that was answered is there after the restart, nothing is torn", async () => {
    await using folder = await tempFolder("acumen-kill-learn");
    const random = seededRandom(7);
    const settings = { root: folder.path, env: { ACE_MCP_AUTOSAVE: "true" } };
    const session_id = "survivor";
    let acknowledged = 0;
    let learned = 0;
    let interrupted = 0;
    for (let round = 0; round < 12; round += 1) {
      await using client = await startAceMcp(settings);
      const before = await client.call("ace.skillbook.get", { session_id });
      if (round > 0) {
        expect(before.isError).toBe(false);
        const { skills } = before.body["stats"] as { skills: number };
        expect(skills).toBeGreaterThanOrEqual(acknowledged);
        readBook(autosaved(folder.path));
        acknowledged = skills;
      }
      const calls = Array.from({ length: 6 }, () => {
        const samples = samplesOf(8, learned);
        learned += 8;
        return client.call("ace.learn.sample", { session_id, samples }).then(
          ({ body }) => {
            acknowledged = Math.max(acknowledged, Number(body["skill_count_after"]));
            return true;
          },
          () => false,
        );
      });
      if (round === 0) await calls[0];
      await pause(random() * 220);
      client.process.kill("SIGKILL");
      if ((await Promise.all(calls)).includes(false)) interrupted += 1;
    }
    expect(interrupted).toBeGreaterThan(4);
    const { skills } = readBook(autosaved(folder.path));
    expect(
      Object.values(skills).filter((skill) => skill.status === "active").length,
    ).toBeGreaterThanOrEqual(acknowledged);
    expect(acknowledged).toBeGreaterThan(0);
  });
});
