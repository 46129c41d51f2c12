import {
  AcumenError,
  ensureFolder,
  readTextFile,
  withFileLock,
  writeFileAtomic,
} from "@acumen/core";
import { dirname } from "node:path";
import { z } from "zod";
import { agentError } from "../errors.ts";

const MAX_BYTES = 64_000_000;

const fileImage = z.object({
  path: z.string(),
  sha256: z.string(),
  text: z.string().exactOptional(),
});

const trustedWorkspace = z.object({
  /** Absolute, real path. */
  path: z.string(),
  digest: z.string(),
  /** ISO 8601, UTC. */
  trusted_at: z.string(),
  files: z.array(fileImage),
});

const trustFile = z.object({
  format: z.literal("acumen.trust"),
  version: z.literal(1),
  workspaces: z.array(trustedWorkspace),
});

export type TrustedWorkspace = z.output<typeof trustedWorkspace>;

/** The workspaces of `trust.json`; none when there is no such file. @throws AGENT_TRUST_INVALID */
export async function readTrustFile(path: string): Promise<readonly TrustedWorkspace[]> {
  let text: string;
  try {
    text = await readTextFile(path, { maxBytes: MAX_BYTES });
  } catch (error) {
    if (AcumenError.isInstance(error) && error.code === "CORE_FILE_NOT_FOUND") return [];
    throw damaged(path, "it cannot be read", error);
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw damaged(path, "it is not JSON");
  }
  const parsed = trustFile.safeParse(value);
  if (parsed.success) return parsed.data.workspaces;
  const version = z.object({ version: z.number().min(2) }).safeParse(value);
  if (version.success) {
    throw damaged(path, `a newer version of Acumen wrote it (format ${version.data.version})`);
  }
  const issue = parsed.error.issues[0];
  throw damaged(
    path,
    `${issue?.path.join(".") || "the top level"}: ${issue?.message ?? "invalid"}`,
  );
}

/**
 * Replaces the workspaces in one step, alone among all processes; `change` sees what is there at that moment.
 * @throws AGENT_TRUST_INVALID when the file is damaged, which is then left as it is; CORE_FILE_NOT_WRITABLE, CORE_LOCK_TIMEOUT
 */
export async function changeTrustFile(
  path: string,
  change: (workspaces: readonly TrustedWorkspace[]) => readonly TrustedWorkspace[],
): Promise<void> {
  await ensureFolder(dirname(path), { mode: 0o700 });
  await withFileLock(path, async () => {
    const before = await readTrustFile(path);
    const workspaces = change(before);
    if (workspaces === before) return;
    const file = { format: "acumen.trust", version: 1, workspaces };
    await writeFileAtomic(path, `${JSON.stringify(file, null, 2)}\n`, { mode: 0o600 });
  });
}

function damaged(path: string, reason: string, cause?: unknown): AcumenError {
  return agentError(
    "AGENT_TRUST_INVALID",
    `No workspace counts as trusted: ${path} cannot be used (${reason}). Mend or remove it.`,
    { details: { path }, ...(cause !== undefined && { cause }) },
  );
}
