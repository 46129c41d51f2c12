import { cpSync, existsSync, mkdirSync, readdirSync, symlinkSync } from "node:fs";
import { execFileSync } from "node:child_process";
import { dirname, join } from "node:path";
import { ROOT } from "./ace-mcp.ts";
import { npm } from "./npm.ts";
import { mustRun } from "./run-command.ts";

export const SHIPPED = ["core", "ace", "cli"] as const;
export type Shipped = (typeof SHIPPED)[number];

export interface Packed {
  /** Absolute path of each package's tarball. */
  readonly tarballs: Readonly<Record<Shipped, string>>;
  /** What npm put into each tarball. */
  readonly contents: Readonly<Record<Shipped, readonly string[]>>;
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
  const tarballs: Record<string, string> = {};
  const contents: Record<string, readonly string[]> = {};
  for (const name of SHIPPED) {
    const path = join(clone, "packages", name);
    const packed = await npm(["pack", "--json", "--pack-destination", folder], path);
    const [report] = JSON.parse(packed.stdout) as [
      { filename: string; files: { path: string; mode: number }[] },
    ];
    tarballs[name] = join(folder, report.filename);
    contents[name] = report.files.map((file) => file.path);
  }
  return { tarballs, contents } as Packed;
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
