import { tempFolder } from "@acumen/testkit";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { Skillbook } from "../../../src/skillbook/skillbook.ts";
import { type TestEngine, testEngine } from "./support/engine.ts";
import { addSkills, learnReport, stubFactory } from "./support/stub-runner.ts";

function engineThatLearns(): TestEngine {
  const { create } = stubFactory((book) => ({
    learn: async (samples) => {
      addSkills(book, ...samples.map(({ question }) => question));
      return learnReport;
    },
  }));
  return testEngine({ createRunner: create });
}

const learn = (engine: TestEngine, id: string, question: string) =>
  engine.reply("ace.learn.sample", { session_id: id, samples: [{ question }] });

const save = async (engine: TestEngine, id: string, path: string): Promise<unknown> =>
  (await engine.call("ace.skillbook.save", { session_id: id, path })).meta;

async function contentsOf(path: string): Promise<string[]> {
  const record: unknown = JSON.parse(await readFile(path, "utf8"));
  return Skillbook.fromRecord(record)
    .skillbook.skills()
    .map(({ content }) => content)
    .toSorted();
}

const mode = (value: string) => ({ "acumen/save": { mode: value } });

describe("saving to a file", () => {
  it("says whether the file was created or replaced, and leaves no lock or temp file", async () => {
    await using folder = await tempFolder();
    const engine = engineThatLearns();
    await learn(engine, "s", "one");
    const path = folder.join("new", "folder", "a.json");
    expect(await save(engine, "s", path)).toEqual(mode("created"));
    await learn(engine, "s", "two");
    expect(await save(engine, "s", path)).toEqual(mode("replaced"));
    expect(await contentsOf(path)).toEqual(["one", "two"]);
    expect(await readdir(folder.join("new", "folder"))).toEqual(["a.json"]);
  });

  it("replaces a skillbook that the session has nothing to do with", async () => {
    await using folder = await tempFolder();
    const engine = engineThatLearns();
    await learn(engine, "s", "one");
    await learn(engine, "other", "two");
    const path = folder.join("a.json");
    await save(engine, "other", path);
    expect(await save(engine, "s", path)).toEqual(mode("replaced"));
    expect(await contentsOf(path)).toEqual(["one"]);
  });

  it("weak point 11 for two writers: merges what another wrote into a file that the session loaded or saved", async () => {
    await using folder = await tempFolder();
    const path = folder.join("shared.json");
    const first = engineThatLearns();
    const second = engineThatLearns();
    await learn(first, "s", "common");
    await save(first, "s", path);
    await second.reply("ace.skillbook.load", { session_id: "s", path });
    await learn(second, "s", "of the second");
    expect(await save(second, "s", path)).toEqual(mode("replaced"));
    await learn(first, "s", "of the first");
    expect(await save(first, "s", path)).toEqual(mode("merged"));
    expect(await contentsOf(path)).toEqual(["common", "of the first", "of the second"]);
    const reply = await first.reply("ace.skillbook.get", { session_id: "s" });
    expect(reply["stats"]).toMatchObject({ skills: 3 });
  });

  it("remembers the last eight files of a session, each with the book of then", async () => {
    await using folder = await tempFolder();
    const engine = engineThatLearns();
    await learn(engine, "s", "one");
    const paths = Array.from({ length: 9 }, (_, index) => folder.join(`${index}.json`));
    for (const path of paths) await save(engine, "s", path);
    const other = new Skillbook();
    addSkills(other, "of another");
    const modes = await Promise.all(
      [paths[0] ?? "", paths[8] ?? ""].map(async (path) => {
        await writeFile(path, JSON.stringify(other.toRecord()));
        return await save(engine, "s", path);
      }),
    );
    expect(modes).toEqual([mode("replaced"), mode("merged")]);
  });

  it("refuses a file that turned into something else meanwhile", async () => {
    await using folder = await tempFolder();
    const path = folder.join("a.json");
    const engine = engineThatLearns();
    await learn(engine, "s", "one");
    await save(engine, "s", path);
    await writeFile(path, "notes of somebody");
    const error = await engine.failure("ace.skillbook.save", { session_id: "s", path });
    expect(error.details).toMatchObject({ reason: "not_a_skillbook" });
    expect(await readFile(path, "utf8")).toBe("notes of somebody");
  });

  it("says not_writable for a folder that cannot be made", async () => {
    await using folder = await tempFolder();
    const engine = engineThatLearns();
    await learn(engine, "s", "one");
    const path = "/proc/nowhere/a.json";
    const error = await engine.failure("ace.skillbook.save", { session_id: "s", path });
    expect(error).toMatchObject({
      code: "ACE_MCP_VALIDATION_ERROR",
      details: { path, reason: "not_writable" },
    });
    await mkdir(folder.join("ok"));
    expect(await save(engine, "s", folder.join("ok", "a.json"))).toEqual(mode("created"));
  });
});
