import { execFileSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  MAY_IMPORT,
  type Manifest,
  packageNames,
  PACKAGE_ORDER,
  readManifest,
  readText,
  ROOT,
} from "./support/repository.ts";

const root = readManifest(".");
const packages = packageNames().map((folder) => ({
  folder,
  path: `packages/${folder}`,
  manifest: readManifest(`packages/${folder}`),
}));
const shipped = packages.filter(({ folder }) => folder !== "testkit");

const EXACT = /^\d+\.\d+\.\d+(?:-[\w.]+)?$/;

function installed(manifest: Manifest): Record<string, string> {
  return {
    ...manifest.dependencies,
    ...manifest.devDependencies,
    ...manifest.optionalDependencies,
  };
}

function ours(versions: Readonly<Record<string, string>> | undefined): string[] {
  return Object.keys(versions ?? {})
    .filter((name) => name.startsWith("@acumen/"))
    .map((name) => name.slice("@acumen/".length))
    .toSorted();
}

describe.each([{ folder: ".", path: ".", manifest: root }, ...packages])(
  "package.json of $path",
  ({ folder, manifest }) => {
    test("is private, an ES module, licensed, described, and asks for Node 20.19", () => {
      expect(manifest).toMatchObject({
        private: true,
        type: "module",
        license: "Apache-2.0",
        version: root.version,
        engines: { node: ">=20.19" },
      });
      expect(manifest.description ?? "").toMatch(/\w{3}/);
      if (folder !== ".") expect(manifest.name).toBe(`@acumen/${folder}`);
    });

    test("pins exact versions; only peers have ranges, and every peer is optional", () => {
      const loose = Object.entries(installed(manifest)).filter(
        ([, version]) => !EXACT.test(version),
      );
      expect(loose).toEqual([]);
      for (const [name, range] of Object.entries(manifest.peerDependencies ?? {})) {
        // An exact peer refuses every other version of the host's tree (ERESOLVE).
        expect(range).toMatch(/^\^\d/);
        expect(manifest.peerDependenciesMeta?.[name]?.optional).toBe(true);
      }
    });
  },
);

describe.each(packages)("package $folder", ({ folder, path, manifest }) => {
  test("is one of the packages of the map and depends only on packages below it", () => {
    expect([...PACKAGE_ORDER, "testkit"]).toContain(folder);
    for (const name of ours(manifest.dependencies)) expect(MAY_IMPORT[folder]).toContain(name);
    expect(ours(manifest.dependencies)).not.toContain("testkit");
  });

  test("exports sources first through the private condition, then types, then the build", () => {
    expect(manifest.exports?.["./package.json"]).toBe("./package.json");
    for (const [subpath, target] of Object.entries(manifest.exports ?? {})) {
      if (typeof target === "string") {
        if (subpath !== "./package.json") expect(folder).toBe("testkit");
        expect(existsSync(join(ROOT, path, target)), target).toBe(true);
        continue;
      }
      expect(Object.keys(target)).toEqual(["@acumen/source", "types", "default"]);
      const source = target["@acumen/source"] ?? "";
      const built = source.replace(/^\.\/src\//, "./dist/");
      expect(existsSync(join(ROOT, path, source)), source).toBe(true);
      expect(target["types"]).toBe(built.replace(/\.ts$/, ".d.ts"));
      expect(target["default"]).toBe(built.replace(/\.ts$/, ".js"));
    }
  });
});

describe.each(shipped)("packed package $folder", ({ path, manifest }) => {
  test("packs its build, its sources and what it reads at run time, never the build info", () => {
    const files = manifest.files ?? [];
    expect(files).toEqual(expect.arrayContaining(["dist", "!dist/.tsbuildinfo", "src"]));
    const readAtRunTime = ["bin", "prompts", "data", "migrations"];
    for (const entry of readdirSync(join(ROOT, path)))
      if (readAtRunTime.includes(entry)) expect(files).toContain(entry);
  });

  test("bins are committed, executable shims over the build", () => {
    for (const target of Object.values(manifest.bin ?? {})) {
      expect(target).toMatch(/^bin\/[a-z-]+\.js$/);
      const mode = execFileSync("git", ["ls-files", "--stage", "--", join(path, target)], {
        cwd: ROOT,
        encoding: "utf8",
      });
      expect(mode).toMatch(/^100755 /);
      const shim = readText(join(path, target));
      expect(shim.startsWith("#!/usr/bin/env node\n")).toBe(true);
      expect(shim.split("\n").length, `${target} only leads to the build`).toBeLessThan(15);
      const entry = /"\.\.\/dist\/(.+)\.js"/.exec(shim)?.[1] ?? "";
      expect(existsSync(join(ROOT, path, "src", `${entry}.ts`)), entry).toBe(true);
    }
  });

  test("is built: named by tsconfig.build.json, its references are its dependencies", () => {
    const build = JSON.parse(readText("tsconfig.build.json")) as {
      references: { path: string }[];
    };
    expect(build.references.map((reference) => reference.path)).toContain(path);
    const own = JSON.parse(readText(join(path, "tsconfig.json"))) as {
      references?: { path: string }[];
    };
    // The compiler does not report a wrong path here, it panics.
    const references = (own.references ?? []).map((reference) => reference.path);
    expect(references.toSorted()).toEqual(
      ours(manifest.dependencies).map((dependency) => `../${dependency}`),
    );
  });
});

describe("the workspace", () => {
  test("@acumen/ace can be used alone: the MCP SDK is an optional peer, never a dependency", () => {
    const ace = readManifest("packages/ace");
    const mandatory = Object.keys({ ...ace.dependencies, ...ace.optionalDependencies });
    expect(mandatory.filter((name) => name.startsWith("@modelcontextprotocol/"))).toEqual([]);
    expect(ace.peerDependenciesMeta?.["@modelcontextprotocol/server"]?.optional).toBe(true);
  });

  test("one version of each library, whichever package names it", () => {
    const versions = new Map<string, Set<string>>();
    for (const { manifest } of [{ manifest: root }, ...packages])
      for (const [name, version] of Object.entries(installed(manifest)))
        versions.set(name, (versions.get(name) ?? new Set()).add(version));
    expect([...versions].filter(([, found]) => found.size > 1)).toEqual([]);
  });

  test("install scripts are approved by name, and everything else stops the install", () => {
    // A pinned approval (`esbuild@1.2.3`) never matches while the lock file leaves out resolved URLs.
    for (const name of Object.keys(root.allowScripts ?? {})) expect(name).not.toMatch(/.@/);
    for (const { manifest } of packages) expect(manifest.allowScripts).toBeUndefined();
    const npmrc = readText(".npmrc").split("\n");
    expect(npmrc).toContain("strict-allow-scripts=true");
    expect(npmrc).toContain("omit-lockfile-registry-resolved=true");
  });

  test("node itself is no dependency: its bin would shadow the user's in every script", () => {
    for (const { manifest } of [{ manifest: root }, ...packages])
      expect(installed(manifest)).not.toHaveProperty("node");
  });

  test("the commands of the documentation exist", () => {
    const scripts = Object.keys(root.scripts ?? {});
    expect(scripts).toEqual(
      expect.arrayContaining(["build", "start", "test", "test:all", "check", "bench", "docs"]),
    );
  });
});
