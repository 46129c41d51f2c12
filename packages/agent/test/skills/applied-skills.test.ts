import { saveSkillbook, Skillbook } from "@acumen/ace";
import { tempFolder } from "@acumen/testkit";
import { expect, test } from "vitest";
import { testAgent } from "../turn/test-agent.ts";

/** A book with these lessons; `id` is taken out again. */
async function save(path: string, lessons: readonly string[], id?: string): Promise<void> {
  const book = new Skillbook();
  const added = lessons.map((content) => ({ type: "ADD", section: "tests", content }));
  book.apply(added, { origin: "session" });
  if (id !== undefined) book.apply([{ type: "REMOVE", section: "tests", skill_id: id }]);
  await saveSkillbook(book, path);
}

test("a session has the skills of its last turn, with what the books say by now", async () => {
  await using folder = await tempFolder();
  const book = folder.join("skillbook.json");
  await save(book, ["Run the tests twice.", "Run the tests alone."]);
  await using one = await testAgent({
    steps: [{ text: "Done." }],
    agent: { home: folder.path },
  });
  const { session } = one;
  expect(await session.skills()).toEqual([]);
  await one.prompt("run the tests");
  expect(await session.skills()).toEqual([
    { id: "tests-00001", content: "Run the tests twice." },
    { id: "tests-00002", content: "Run the tests alone." },
  ]);
  await save(book, ["Run the tests twice.", "Run the tests alone."], "tests-00002");
  expect(await session.skills()).toEqual([
    { id: "tests-00001", content: "Run the tests twice." },
    { id: "tests-00002" },
  ]);
});
