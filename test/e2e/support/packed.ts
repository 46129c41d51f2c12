import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { execFileSync } from "node:child_process";
import { dirname, join } from "node:path";
import { ROOT } from "./ace-mcp.ts";
import { npm } from "./npm.ts";
import { mustRun } from "./run-command.ts";

/** Every package but the one for tests. */
export const SHIPPED: readonly string[] = readdirSync(join(ROOT, "packages"))
  .filter((name) => name !== "testkit" && existsSync(join(ROOT, "packages", name, "package.json")))
  .toSorted();

export interface Packed {
  /** Tarballs of a package and of all our packages that it needs, for one `npm install`. */
  tarballsFor(name: string): string[];
  /** What npm put into each tarball. */
  readonly contents: ReadonlyMap<string, readonly string[]>;
}

/** A package and all of ours that it depends on, in any depth. */
function withDependencies(name: string): string[] {
  const text = readFileSync(join(ROOT, "packages", name, "package.json"), "utf8");
  const { dependencies = {} } = JSON.parse(text) as { dependencies?: Record<string, string> };
  const own = Object.keys(dependencies).filter((dependency) => dependency.startsWith("@acumen/"));
  const below = own.flatMap((dependency) => withDependencies(dependency.slice("@acumen/".length)));
  return [...new Set([...below, name])];
}

/**
 * Builds and packs a copy without anything that git ignores, as a clean clone would: no old `dist` can slip into a
 * tarball, and the checkout's own `dist` stays as it is for other tests.
 */
export async function packFromCleanCopy(folder: string): Promise<Packed> {
  const clone = join(folder, "clone");
  copySources(clone);
  linkModules(clone);
  await mustRun(
    process.execPath,
    [join(ROOT, "node_modules/.bin/tsc"), "-b", "tsconfig.build.json"],
    {
      cwd: clone,
      timeoutMs: 120_000,
    },
  );
  const tarballs = new Map<string, string>();
  const contents = new Map<string, readonly string[]>();
  const pack = async (name: string): Promise<void> => {
    const path = join(clone, "packages", name);
    const packed = await npm(["pack", "--json", "--pack-destination", folder], path);
    const [report] = JSON.parse(packed.stdout) as [{ filename: string; files: { path: string }[] }];
    tarballs.set(name, join(folder, report.filename));
    contents.set(
      name,
      report.files.map((file) => file.path),
    );
  };
  await Promise.all(SHIPPED.map(pack));
  return {
    contents,
    tarballsFor: (name) => withDependencies(name).map((each) => tarballs.get(each) ?? each),
  };
}

function copySources(clone: string): void {
  const which = ["--cached", "--others", "--exclude-standard", "-z"];
  const listed = execFileSync("git", ["ls-files", ...which, "--", "packages", "*.json", ".npmrc"], {
    cwd: ROOT,
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
  });
  for (const path of listed
    .split("\0")
    .filter((name) => existsSync(join(ROOT, name)) && name !== "")) {
    mkdirSync(dirname(join(clone, path)), { recursive: true });
    cpSync(join(ROOT, path), join(clone, path));
  }
}

/** The installed libraries of the checkout, with links to the copy's own packages instead of the checkout's. */
function linkModules(clone: string): void {
  const source = join(ROOT, "node_modules");
  const target = join(clone, "node_modules");
  mkdirSync(join(target, "@acumen"), { recursive: true });
  for (const name of readdirSync(source)) {
    if (name.startsWith(".") || name === "@acumen") continue;
    symlinkSync(join(source, name), join(target, name));
  }
  for (const name of readdirSync(join(clone, "packages")))
    symlinkSync(join(clone, "packages", name), join(target, "@acumen", name));
  // npm puts a library here when another version of it stands at the root.
  for (const name of SHIPPED) {
    const own = join(ROOT, "packages", name, "node_modules");
    if (existsSync(own)) symlinkSync(own, join(clone, "packages", name, "node_modules"));
  }
}
