import { mkdir, writeFile } from "node:fs/promises";
import { tempFolder } from "@acumen/testkit";
import { expect, test } from "vitest";
import { missingFiles } from "../../src/attachments/missing-files.ts";
import { textBlock } from "../../src/content/content-block.ts";
import { openWorkspace } from "../../src/workspace/workspace.ts";

test.each([
  ["look at @typo.txt, and @typo.txt", ["typo.txt"]],
  ["(@src/typo.ts) and @src/lib/other", ["src/typo.ts", "src/lib/other"]],
  ['@"my notes.md" is missing', ["my notes.md"]],
  ["@/nowhere/at/all", ["/nowhere/at/all"]],
  ["@there.txt and @src and @src/ and @there.txt.", []],
  ["write to me@example.org or @me@example.org", []],
  ["use @scope/package or @scope/package@1.2.3", []],
  ["@someone costs @1.50", []],
  ["@app.route('/x') or @a.b=c", []],
  ["@.env", []],
])("of %j nothing is there: %j", async (text, missing) => {
  await using folder = await tempFolder();
  await mkdir(folder.join("src"));
  await writeFile(folder.join("there.txt"), "");
  const workspace = await openWorkspace({ cwd: folder.path });
  expect(await missingFiles([textBlock(text)], workspace)).toEqual(missing);
});
