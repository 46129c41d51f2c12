import { readFileSync } from "node:fs";

/** How this client names itself to servers; the version is in this package's manifest, as far above `src` as above `dist`. */
export function clientInfo(): { readonly name: string; readonly version: string } {
  const text = readFileSync(new URL("../../../package.json", import.meta.url), "utf8");
  const { version } = JSON.parse(text) as { readonly version: string };
  return { name: "acumen", version };
}
