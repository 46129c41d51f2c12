import { readFileSync } from "node:fs";

/** The version in this package's manifest, which lies one folder above `src` and `dist` alike. */
export function packageVersion(): string {
  const text = readFileSync(new URL("../package.json", import.meta.url), "utf8");
  const manifest = JSON.parse(text) as { readonly version: string };
  return manifest.version;
}
