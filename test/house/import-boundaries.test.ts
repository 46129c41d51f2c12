import { tempFolder } from "@acumen/testkit";
import { describe, expect, test } from "vitest";
import { writeFiles } from "../support/write-files.ts";
import { lintConfig, runOxlint } from "./support/oxlint.ts";
import {
  MAY_IMPORT,
  packageNames,
  PACKAGE_ORDER,
  readText,
  trackedFiles,
} from "./support/repository.ts";

const RESTRICTED = "eslint(no-restricted-imports)";
const EVERYBODY = [...PACKAGE_ORDER, "testkit"];

function mayImport(from: string, to: string): boolean {
  return MAY_IMPORT[from]?.includes(to) ?? false;
}

/** The ways in which a module can be named; each must be seen. */
const FORMS: Readonly<Record<string, (specifier: string) => string>> = {
  static: (to) => `import ${JSON.stringify(to)};\n`,
  type: (to) => `import type { X } from ${JSON.stringify(to)};\nexport type Y = X;\n`,
  reexport: (to) => `export { x } from ${JSON.stringify(to)};\n`,
  dynamic: (to) => `export const x = await import(${JSON.stringify(to)});\n`,
};

async function lintFixture(files: Readonly<Record<string, string>>): Promise<Set<string>> {
  await using folder = await tempFolder("acumen-boundaries");
  writeFiles(folder.path, { ".oxlintrc.json": lintConfig({ typeAware: false }), ...files });
  return new Set(
    runOxlint(folder.path)
      .filter((finding) => finding.rule === RESTRICTED)
      .map((finding) => finding.file),
  );
}

describe("imports go one way", () => {
  test("every forbidden pair of packages is reported, every allowed one passes, in each import form", async () => {
    const forbidden: Record<string, string> = {};
    const allowed: Record<string, string> = {};
    for (const from of EVERYBODY) {
      for (const to of EVERYBODY) {
        if (from === to) continue;
        const target = mayImport(from, to) ? allowed : forbidden;
        for (const [form, write] of Object.entries(FORMS)) {
          target[`packages/${from}/src/${form}-${to}.ts`] = write(`@acumen/${to}`);
          target[`packages/${from}/src/${form}-${to}-deep.ts`] = write(`@acumen/${to}/deep`);
        }
      }
    }
    const reported = await lintFixture({ ...forbidden, ...allowed });
    expect(Object.keys(forbidden).filter((file) => !reported.has(file))).toEqual([]);
    expect(Object.keys(allowed).filter((file) => reported.has(file))).toEqual([]);
    expect(Object.keys(forbidden).length).toBeGreaterThan(200);
  });

  test("the sources and the build of another package are out of reach, for product code, tests, scripts, benches and examples", async () => {
    const forbidden: Record<string, string> = {};
    for (const [form, write] of Object.entries(FORMS)) {
      forbidden[`packages/ace/src/skillbook/${form}-relative.ts`] = write(
        "../../../core/src/errors.ts",
      );
      forbidden[`packages/ace/src/${form}-package-source.ts`] = write("@acumen/core/src/errors.ts");
      forbidden[`packages/ace/src/${form}-package-build.ts`] = write("@acumen/core/dist/errors.js");
      forbidden[`packages/ace/test/${form}-relative.test.ts`] = write("../../core/src/errors.ts");
      forbidden[`packages/ace/test/${form}-build.test.ts`] = write("../../core/dist/errors.js");
      forbidden[`test/e2e/${form}.test.ts`] = write("../../packages/ace/src/errors.ts");
      forbidden[`scripts/${form}.ts`] = write("../packages/ace/src/errors.ts");
      forbidden[`bench/${form}.ts`] = write("../packages/ace/src/errors.ts");
      forbidden[`examples/${form}.ts`] = write("../packages/ace/src/errors.ts");
      forbidden[`examples/story/${form}.ts`] = write("@acumen/ace/src/errors.ts");
    }
    const allowed = {
      "packages/ace/test/skillbook/own.test.ts": 'import "../../src/skillbook/skill.ts";\n',
      "packages/ace/src/integrations/mcp/handlers/own.ts": 'import "../models/ask.ts";\n',
      "packages/ace/test/kit.test.ts": 'import "@acumen/testkit";\n',
      "examples/ok.ts": 'import "@acumen/ace";\n',
    };
    const reported = await lintFixture({ ...forbidden, ...allowed });
    expect(Object.keys(forbidden).filter((file) => !reported.has(file))).toEqual([]);
    expect(Object.keys(allowed).filter((file) => reported.has(file))).toEqual([]);
  });

  test("every package has a block of its own in the lint configuration", () => {
    const config = JSON.parse(readText(".oxlintrc.json")) as {
      overrides: { files: string[]; rules: Record<string, unknown> }[];
    };
    const guarded = config.overrides
      .filter((block) => Array.isArray(block.rules["no-restricted-imports"]))
      .flatMap((block) => block.files);
    for (const name of packageNames()) expect(guarded).toContain(`packages/${name}/src/**`);
  });

  test("tests of a package reach only packages below it and the testkit", () => {
    const strays: string[] = [];
    for (const path of trackedFiles("packages/*/test/**/*.ts")) {
      const from = path.split("/")[1] ?? "";
      for (const match of readText(path).matchAll(
        /(?:from|import)\s*\(?\s*"@acumen\/([a-z]+)[/"]/g,
      )) {
        const to = match[1] ?? "";
        if (to !== from && to !== "testkit" && !mayImport(from, to))
          strays.push(`${path} -> ${to}`);
      }
    }
    expect(strays).toEqual([]);
  });
});
