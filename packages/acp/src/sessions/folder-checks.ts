import type { NewSessionRequest } from "@agentclientprotocol/sdk";
import { realpath } from "node:fs/promises";
import { isAbsolute } from "node:path";
import { invalidParams } from "../errors/invalid-params.ts";

/** @throws RequestError */
export function checkFolders({
  cwd,
  additionalDirectories,
}: Pick<NewSessionRequest, "additionalDirectories" | "cwd">): void {
  if (!isAbsolute(cwd)) throw invalidParams("cwd", "an absolute path");
  const relative = (additionalDirectories ?? []).findIndex((path) => !isAbsolute(path));
  if (relative !== -1) throw invalidParams(`additionalDirectories.${relative}`, "an absolute path");
}

/** @throws RequestError */
export async function checkSameFolder(path: string, cwd: string): Promise<void> {
  const real = await realpath(path).catch(() => path);
  if (real !== cwd) throw invalidParams("cwd", `the folder in which the session began, ${cwd}`);
}

/** @throws AGENT_WORKSPACE_INVALID */
export async function checkExist(
  cwd: string,
  additionalDirectories: readonly string[],
): Promise<void> {
  const { openWorkspace } = await import("@acumen/agent");
  await openWorkspace({ cwd, additionalDirectories });
}
