import { tempFolder } from "@acumen/testkit";
import { mkdir, writeFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { completion } from "../../src/chat/completion.ts";

test("completes commands, their words, and paths behind @", async () => {
  const folder = await tempFolder();
  try {
    await mkdir(folder.join("src"));
    for (const name of ["readme.md", "two words.txt", ".hidden", "bad\u001Bname", "src/a.ts"]) {
      await writeFile(folder.join(name), "");
    }
    const complete = completion({
      commands: ["help", "mode", "model"],
      argumentsOf: (name) => (name === "mode" ? ["auto", "safe"] : []),
      cwd: () => folder.path,
    });
    expect(await complete("/mo")).toEqual([["/mode ", "/model "], "/mo"]);
    expect(await complete("/mode s")).toEqual([["safe"], "s"]);
    expect(await complete("look at @")).toEqual([
      ["@readme.md ", "@src/", '@"two words.txt" '],
      "@",
    ]);
    expect(await complete("look at @src/")).toEqual([["@src/a.ts "], "@src/"]);
    expect(await complete("@.")).toEqual([["@.hidden "], "@."]);
    expect(await complete('@"two')).toEqual([['@"two words.txt" '], '@"two']);
    expect(await complete("mail me@re")).toEqual([[], "mail me@re"]);
    expect(await complete("@nowhere/")).toEqual([[], "@nowhere/"]);
  } finally {
    await folder.remove();
  }
});
