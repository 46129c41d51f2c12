import { type CodingSession, type ContentBlock, missingFiles } from "@acumen/agent";

/** Says which `@path` words of a prompt name nothing; undefined when all do. */
export async function missingText(
  prompt: readonly ContentBlock[],
  { workspace }: Pick<CodingSession, "workspace">,
): Promise<string | undefined> {
  const missing = await missingFiles(prompt, workspace);
  if (missing.length === 0) return undefined;
  const names = missing.map((word) => `@${word}`).join(", ");
  return missing.length === 1
    ? `${names} names no file here; it is sent as text.`
    : `${names} name no file here; they are sent as text.`;
}
