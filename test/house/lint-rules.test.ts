import { tempFolder } from "@acumen/testkit";
import { describe, expect, test } from "vitest";
import { writeFiles } from "../support/write-files.ts";
import { lintConfig, runOxlint } from "./support/oxlint.ts";
import { readText, trackedFiles } from "./support/repository.ts";

/** One offence per house rule that product code must not show. */
const OFFENCES: Readonly<Record<string, readonly [file: string, text: string]>> = {
  "typescript(no-explicit-any)": ["any.ts", "export const x: any = 1;\n"],
  "typescript(no-non-null-assertion)": [
    "bang.ts",
    "export function f(a: string | undefined): string {\n  return a!;\n}\n",
  ],
  "typescript(consistent-type-imports)": [
    "type-import.ts",
    'import { X } from "./any.ts";\nexport type Y = X;\n',
  ],
  "typescript(explicit-module-boundary-types)": [
    "untyped.ts",
    "export function f() {\n  return 1;\n}\n",
  ],
  "import(no-default-export)": ["default.ts", "export default 1;\n"],
  "import(no-cycle)": [
    "cycle-a.ts",
    'import { b } from "./cycle-b.ts";\nexport const a = (): number => b();\n',
  ],
  "unicorn(filename-case)": ["camelCase.ts", "export const x = 1;\n"],
  "eslint(no-console)": ["console.ts", "console.log(1);\n"],
  "node(no-process-env)": ["env.ts", 'export const home = process.env["HOME"];\n'],
  "eslint(no-empty)": ["empty.ts", "try {\n  JSON.parse(``);\n} catch {}\n"],
  "eslint(eqeqeq)": ["equal.ts", "export const f = (a: unknown): boolean => a == 1;\n"],
  "eslint(max-lines)": ["long.ts", "export const x = [\n" + "  1,\n".repeat(400) + "];\n"],
  "eslint(max-lines-per-function)": [
    "tall.ts",
    "export function f(a: number): void {\n" + "  a += 1;\n".repeat(81) + "}\n",
  ],
  "eslint(complexity)": [
    "branches.ts",
    "export function f(a: number): number {\n" +
      Array.from({ length: 16 }, (_, i) => `  if (a === ${i}) return ${i * 2};\n`).join("") +
      "  return a;\n}\n",
  ],
};

describe("lint", () => {
  test("every house rule fires on its offence in product code", async () => {
    await using folder = await tempFolder("acumen-lint");
    const files: Record<string, string> = {
      ".oxlintrc.json": lintConfig({ typeAware: false }),
      "packages/ace/src/cycle-b.ts":
        'import { a } from "./cycle-a.ts";\nexport const b = (): number => a();\n',
    };
    for (const [name, text] of Object.values(OFFENCES)) files[`packages/ace/src/${name}`] = text;
    writeFiles(folder.path, files);
    const found = new Set(
      runOxlint(folder.path).map((finding) => `${finding.rule} ${finding.file}`),
    );
    const expected = Object.entries(OFFENCES).map(
      ([rule, [name]]) => `${rule} packages/ace/src/${name}`,
    );
    expect(expected.filter((line) => !found.has(line))).toEqual([]);
  });

  // With a root tsconfig.json that only references packages, test files belong to no project: imports from
  // `@acumen/*` are then error-typed on a clean clone and this very offence passes unseen.
  test("a floating promise in a test file is found without any build, through the root tsconfig.json", async () => {
    await using folder = await tempFolder("acumen-floating");
    const base = JSON.parse(readText("tsconfig.base.json")) as {
      compilerOptions: Record<string, unknown>;
    };
    // The fixture has no node_modules of the repository, so no types of node either.
    base.compilerOptions["types"] = [];
    writeFiles(folder.path, {
      ".oxlintrc.json": lintConfig({ typeAware: true }),
      "package.json": '{ "type": "module" }\n',
      "tsconfig.base.json": JSON.stringify(base),
      "tsconfig.json": readText("tsconfig.json"),
      "node_modules/@acumen/core/package.json": readText("packages/core/package.json"),
      "node_modules/@acumen/core/src/index.ts": "export async function save(): Promise<void> {}\n",
      "packages/ace/test/awaited.test.ts":
        'import { save } from "@acumen/core";\nexport async function check(): Promise<void> {\n  await save();\n}\n',
      "packages/ace/test/floating.test.ts":
        'import { save } from "@acumen/core";\nexport function check(): void {\n  save();\n}\n',
      "test/e2e/misused.test.ts":
        'import { save } from "@acumen/core";\nexport function check(): void {\n  [1].forEach(async () => save());\n}\n',
    });
    expect(runOxlint(folder.path).map(({ rule, file, line }) => `${rule} ${file}:${line}`)).toEqual(
      [
        "typescript(no-floating-promises) packages/ace/test/floating.test.ts:3",
        "typescript(no-misused-promises) test/e2e/misused.test.ts:3",
      ],
    );
  });

  test("no file switches a rule off, and no test is skipped or left alone", () => {
    // Spelled in pieces, so that this file does not report itself.
    const offences = new RegExp(
      ["(?:ox|es)lint-disable", "@ts-(?:ignore|expect-error|nocheck)"].join("|") +
        `|\\b(?:test|it|describe)\\.(?:${["skip", "only", "todo", "fails"].join("|")})\\b`,
    );
    const found = trackedFiles("**/*.ts", "**/*.tsx", "**/*.js", "**/*.mjs").filter((path) =>
      offences.test(readText(path)),
    );
    expect(found).toEqual([]);
  });
});
