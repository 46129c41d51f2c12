import { existsSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { describe, expect, test } from "vitest";
import { packageNames, readManifest, readText, ROOT, trackedFiles } from "./support/repository.ts";

const BINARY = /\.(?:png|jpe?g|gif|ico|woff2?|gz|tgz|db)$/;
const texts = trackedFiles().filter((path) => !BINARY.test(path));

function offenders(pattern: RegExp, files: readonly string[] = texts): string[] {
  return files.flatMap((path) =>
    readText(path)
      .split("\n")
      .flatMap((line, index) => (pattern.test(line) ? [`${path}:${index + 1}`] : [])),
  );
}

describe("files under version control", () => {
  test("name no place of one machine", () => {
    // Built from pieces, so that this file does not report itself.
    const places = [
      "/work/(?:main|shared|\\.)",
      "/root/\\.(?!\\.)",
      "/home/(?!(?:user|you|me)/)\\w+/",
    ];
    expect(offenders(new RegExp(`(?:^|[^\\w./~])(?:${places.join("|")})`))).toEqual([]);
  });

  test("lock files and npm settings name no registry", () => {
    const locks = texts.filter((path) => /(?:^|\/)(?:package-lock\.json|\.npmrc)$/.test(path));
    expect(locks).toEqual(expect.arrayContaining(["package-lock.json", ".npmrc"]));
    expect(offenders(/"resolved": "https?:|registry\s*=|\/\/[^"\s]*registry/, locks)).toEqual([]);
  });

  test("the lock file's only resolved entries are links to our own packages", () => {
    const lock = JSON.parse(readText("package-lock.json")) as {
      packages: Record<string, { resolved?: string; link?: boolean; integrity?: string }>;
    };
    const resolved = Object.values(lock.packages).filter((entry) => entry.resolved !== undefined);
    expect(
      resolved.map((entry) => entry.resolved ?? "").toSorted((a, b) => a.localeCompare(b)),
    ).toEqual(packageNames().map((name) => `packages/${name}`));
    const unverified = Object.entries(lock.packages).filter(
      ([path, entry]) =>
        path.includes("node_modules/") && entry.link !== true && entry.integrity === undefined,
    );
    expect(unverified.map(([path]) => path)).toEqual([]);
  });

  test("hold no left-over of a merge and no secret", () => {
    const marks = ["<<<<<<< ", ">>>>>>> "].map((mark) => `^${mark}`).join("|");
    expect(offenders(new RegExp(marks))).toEqual([]);
    const keys = ["sk-(?:ant-|proj-)?[A-Za-z0-9]{24,}", "AKIA[0-9A-Z]{16}", "ghp_[A-Za-z0-9]{30,}"];
    // Tests hold things of the shape of a key on purpose.
    const products = texts.filter((path) => !/(?:^|\/)test\//.test(path));
    expect(offenders(new RegExp(keys.join("|")), products)).toEqual([]);
  });

  test("source files have at most 400 lines, tests, scripts and examples at most 600", () => {
    const long = texts
      .filter((path) => /\.(?:ts|tsx|js|mjs)$/.test(path))
      .map((path) => ({ path, lines: readText(path).trimEnd().split("\n").length }))
      .filter(
        ({ path, lines }) => lines > (/^packages\/[a-z]+\/(?:src|bin)\//.test(path) ? 400 : 600),
      );
    expect(long).toEqual([]);
  });

  test("source and test files have kebab-case names", () => {
    const odd = texts
      .filter((path) => /\.(?:ts|tsx|js|mjs)$/.test(path))
      .filter(
        (path) => !/^(?:[a-z0-9]+(?:-[a-z0-9]+)*)(?:\.[a-z]+)+$/.test(path.split("/").at(-1) ?? ""),
      );
    expect(odd).toEqual([]);
  });

  // It asks which test runs, and several do there: it fails now and then, on busy machines only.
  test("tests that run side by side do not use expect.poll", () => {
    const both = texts
      .filter((path) => path.endsWith(".test.ts"))
      .filter((path) => {
        const text = readText(path);
        return /\b(?:describe|test|it)\.concurrent\b/.test(text) && /\.poll\(/.test(text);
      });
    expect(both).toEqual([]);
  });
});

describe("public entries", () => {
  const entries = packageNames().flatMap((name) =>
    Object.values(readManifest(`packages/${name}`).exports ?? {}).flatMap((target) => {
      const source = typeof target === "string" ? target : target["@acumen/source"];
      return source?.endsWith(".ts") === true ? [join("packages", name, source)] : [];
    }),
  );

  test.each(entries)("%s is a list of names and nothing else", (path) => {
    const code = readText(path)
      .replaceAll(/\/\*[\s\S]*?\*\//g, "")
      .replaceAll(/^\s*\/\/.*$/gm, "");
    const statements = code
      .split(";")
      .map((statement) => statement.trim())
      .filter((statement) => statement !== "");
    const named = /^export (?:type )?\{[\s\w,$]+\} from "(\.\/[^"]+\.ts|@acumen\/[a-z]+)"$/;
    expect(statements.filter((statement) => !named.test(statement))).toEqual([]);
    expect(statements.length).toBeGreaterThan(0);
    expect(code).not.toMatch(/\bdefault\b/);
  });
});

describe("Markdown", () => {
  const pages = texts.filter((path) => path.endsWith(".md") && !path.includes("/prompts/"));

  /** Link targets and the anchors that a page offers, outside fenced code. */
  function linksOf(path: string): { target: string; line: number }[] {
    const found: { target: string; line: number }[] = [];
    let fenced = false;
    for (const [index, line] of readText(path).split("\n").entries()) {
      if (/^\s*(?:```|~~~)/.test(line)) fenced = !fenced;
      if (fenced) continue;
      for (const match of line
        .replaceAll(/`[^`]*`/g, "``")
        .matchAll(/\]\(\s*<?([^)\s>]+)>?[^)]*\)/g))
        found.push({ target: match[1] ?? "", line: index + 1 });
    }
    return found;
  }

  /** Anchors as GitHub makes them from headings. */
  function anchorsOf(path: string): Set<string> {
    const anchors = new Set<string>();
    for (const match of readText(path).matchAll(/^#{1,6}\s+(.+?)\s*#*$/gm)) {
      const slug = (match[1] ?? "")
        .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1")
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
        .replaceAll(/\s/g, "-");
      let unique = slug;
      for (let n = 1; anchors.has(unique); n += 1) unique = `${slug}-${n}`;
      anchors.add(unique);
    }
    for (const match of readText(path).matchAll(/<a (?:id|name)="([^"]+)"/g))
      anchors.add(match[1] ?? "");
    return anchors;
  }

  test("every relative link leads to a file under version control, and to a heading that is there", () => {
    const known = new Set(texts.flatMap((path) => [path, ...parents(path)]));
    const broken: string[] = [];
    for (const page of pages) {
      for (const { target, line } of linksOf(page)) {
        if (/^[a-z][a-z+.-]*:/i.test(target)) continue;
        const [file = "", anchor] = decodeURI(target).split("#");
        const path =
          file === "" ? page : relative(ROOT, join(ROOT, dirname(page), file)).replace(/\/$/, "");
        const missing = !known.has(path) || !existsSync(join(ROOT, path));
        const headless =
          !missing && anchor !== undefined && path.endsWith(".md") && !anchorsOf(path).has(anchor);
        if (missing || headless) broken.push(`${page}:${line} ${target}`);
      }
    }
    expect(broken).toEqual([]);
  });

  test("every npm script that a page names exists", () => {
    const scripts = new Set(Object.keys(readManifest(".").scripts ?? {}));
    const unknown = pages.flatMap((page) =>
      [...readText(page).matchAll(/npm run (?:--silent |-s )?([a-z][\w:-]*)/g)]
        .map((match) => match[1] ?? "")
        .filter((name) => !scripts.has(name))
        .map((name) => `${page}: npm run ${name}`),
    );
    expect(unknown).toEqual([]);
  });
});

function parents(path: string): string[] {
  const folders: string[] = [];
  for (let folder = dirname(path); folder !== "."; folder = dirname(folder)) folders.push(folder);
  return folders;
}
