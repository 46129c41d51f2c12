import { wellFormed } from "./well-formed.ts";
/** `file:src/a.ts`: relative to the project, names encoded. */
export function fileUri(path: string): string {
  const names = wellFormed(path).split("/");
  return `file:${names.map(encodeURIComponent).join("/")}`;
}
