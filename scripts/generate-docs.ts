import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { CONTENTS } from "./docs/contents.ts";
import { FILES } from "./docs/files.ts";
import { fillBlocks } from "./docs/generated-blocks.ts";

/**
 * `npm run docs` writes the generated blocks of the Markdown pages; `npm run docs:check` (part of `npm run check`)
 * only compares, and fails when a page is not what the code says, or when a block stands in no page. Files that are
 * generated whole are treated alike.
 */
const root = fileURLToPath(new URL("..", import.meta.url));
const check = process.argv.includes("--check");
const pages = markdownPages();

const problems: string[] = [];
const used = new Set<string>();
for (const page of pages) {
  const path = join(root, page);
  const before = readFileSync(path, "utf8");
  try {
    const { text, blocks } = fillBlocks(before, CONTENTS);
    for (const block of blocks) used.add(block);
    if (text === before) continue;
    if (check) problems.push(`${page} is not what the code says: run \`npm run docs\``);
    else writeFileSync(path, text);
  } catch (error) {
    problems.push(`${page}: ${error instanceof Error ? error.message : String(error)}`);
  }
}
for (const [file, render] of Object.entries(FILES)) {
  const path = join(root, file);
  const text = render();
  if (existsSync(path) && readFileSync(path, "utf8") === text) continue;
  if (check) problems.push(`${file} is not what the code says: run \`npm run docs\``);
  else {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
}
for (const name of Object.keys(CONTENTS))
  if (!used.has(name)) problems.push(`no page holds the generated block "${name}"`);

for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exitCode = 1;
else
  console.log(`${used.size} generated blocks are ${check ? "what the code says" : "up to date"}`);

function markdownPages(): string[] {
  const below = (folder: string, recursive: boolean): string[] =>
    readdirSync(join(root, folder), { recursive, encoding: "utf8" })
      .filter((name) => name.endsWith(".md"))
      .map((name) => join(folder, name));
  const readmes = readdirSync(join(root, "packages"))
    .map((name) => join("packages", name, "README.md"))
    .filter((path) => existsSync(join(root, path)));
  return [...below(".", false), ...below("docs", true), ...readmes].toSorted((a, b) =>
    a.localeCompare(b),
  );
}
