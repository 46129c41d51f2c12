import { isJsonObject } from "@acumen/core";

/** What a reference inside a document (`#`, `#/$defs/name`) points to; undefined for others and for empty ones. */
export function localReference(reference: string, root: Record<string, unknown>): unknown {
  if (reference === "#") return root;
  if (!reference.startsWith("#/")) return undefined;
  let target: unknown = root;
  for (const step of reference.slice(2).split("/")) {
    if (!isJsonObject(target) && !Array.isArray(target)) return undefined;
    const key = step.replaceAll("~1", "/").replaceAll("~0", "~");
    target = Object.hasOwn(target, key) ? (target as Record<string, unknown>)[key] : undefined;
  }
  return target;
}
