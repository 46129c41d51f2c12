import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** Root of the checkout, without a slash at its end. */
export const ROOT = fileURLToPath(new URL("../../..", import.meta.url)).replace(/\/$/, "");

/** Packages in the order in which one may import another; acp and facade stand side by side. */
export const PACKAGE_ORDER = ["core", "models", "ace", "agent", "acp", "facade", "cli"] as const;

/** Which packages each package may import (tests may import testkit too). */
export const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  core: [],
  models: ["core"],
  ace: ["core", "models"],
  agent: ["core", "models", "ace"],
  acp: ["core", "models", "ace", "agent"],
  facade: ["core", "models", "ace", "agent"],
  cli: ["core", "models", "ace", "agent", "acp", "facade"],
  testkit: ["core"],
};

export interface Manifest {
  readonly name: string;
  readonly private?: boolean;
  readonly type?: string;
  readonly version?: string;
  readonly license?: string;
  readonly description?: string;
  readonly files?: readonly string[];
  readonly bin?: Readonly<Record<string, string>>;
  readonly exports?: Readonly<Record<string, string | Readonly<Record<string, string>>>>;
  readonly engines?: Readonly<Record<string, string>>;
  readonly scripts?: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>;
  readonly allowScripts?: Readonly<Record<string, boolean>>;
}

export function readText(path: string): string {
  return readFileSync(join(ROOT, path), "utf8");
}

export function readManifest(folder: string): Manifest {
  return JSON.parse(readText(join(folder, "package.json"))) as Manifest;
}

/** Names of the folders below `packages/` that hold a package. */
export function packageNames(): readonly string[] {
  return readdirSync(join(ROOT, "packages"))
    .filter((name) => existsSync(join(ROOT, "packages", name, "package.json")))
    .toSorted();
}

/**
 * Paths under version control that exist, relative to the root; patterns as in a shell, where `*` stays within a folder
 * and `**` does not. New files count too, ignored ones never.
 */
export function trackedFiles(...patterns: readonly string[]): readonly string[] {
  const listed = execFileSync(
    "git",
    [
      "ls-files",
      "--cached",
      "--others",
      "--exclude-standard",
      "-z",
      "--",
      ...patterns.map((pattern) => `:(glob)${pattern}`),
    ],
    { cwd: ROOT, encoding: "utf8", maxBuffer: 64 * 1024 * 1024 },
  );
  return listed.split("\0").filter((path) => path !== "" && existsSync(join(ROOT, path)));
}
