import { errnoOf } from "@acumen/core";
import { constants } from "node:fs";
import { access, open, stat } from "node:fs/promises";
import { delimiter, resolve } from "node:path";

/** Where the system looks without a PATH. */
const DEFAULT_PATH = "/usr/local/bin:/usr/bin:/bin";
/** Of a program that is looked at. */
const HEAD_BYTES = 256;

export type FoundProgram =
  | { readonly ok: true; readonly path: string }
  | { readonly ok: false; readonly message: string };

/** Finds what a command names the way the system would: with a slash from `cwd`, otherwise in the child's own PATH. */
export async function findProgram(
  command: string,
  cwd: string,
  path: string | undefined,
): Promise<FoundProgram> {
  const folder = await faultOfFolder(cwd);
  if (folder !== undefined) {
    return { ok: false, message: `The working directory ${quoted(cwd)} ${folder}.` };
  }
  if (command.includes("/")) {
    const file = resolve(cwd, command);
    const fault = await faultOfProgram(file);
    if (fault === undefined) return { ok: true, path: file };
    const where = file === command ? "" : `, which is ${quoted(file)},`;
    return { ok: false, message: `The command ${quoted(command)}${where} ${fault}.` };
  }
  // An empty part is the working directory.
  const folders = (path ?? DEFAULT_PATH).split(delimiter).map((part) => resolve(cwd, part));
  let seen: string | undefined;
  for (const candidate of folders.map((part) => resolve(part, command))) {
    const fault = await faultOfProgram(candidate);
    if (fault === undefined) return { ok: true, path: candidate };
    if (fault !== MISSING) seen ??= `${quoted(candidate)} ${fault}`;
  }
  const message =
    seen === undefined
      ? `The command ${quoted(command)} is in no folder of its PATH (ENOENT).`
      : `The command ${quoted(command)} cannot be run: ${seen}.`;
  return { ok: false, message };
}

/** Why a program that ended at once cannot have run at all; undefined: it can. */
export async function faultOfFormat(path: string): Promise<string | undefined> {
  const head = await headOf(path);
  if (head === undefined) return undefined;
  const interpreter = /^#![ \t]*([^\s\0]+)/.exec(head)?.[1];
  if (interpreter !== undefined) {
    const fault = await faultOfProgram(interpreter);
    return fault && `The interpreter ${quoted(interpreter)} of ${quoted(path)} ${fault}.`;
  }
  // The system takes a text without that line for a script of its shell.
  if (!head.includes("\0")) return undefined;
  const own = formatOf(await headOf(process.execPath));
  return own === undefined || own === formatOf(head)
    ? undefined
    : `${quoted(path)} is not a program of this machine (ENOEXEC).`;
}

/** Word size, byte order and machine of an ELF file; undefined for others, of this machine or not. */
function formatOf(head = ""): string | undefined {
  return head.startsWith("\x7fELF") ? head.slice(4, 6) + head.slice(18, 20) : undefined;
}

async function headOf(path: string): Promise<string | undefined> {
  const file = await open(path, "r").catch(() => undefined);
  if (file === undefined) return undefined;
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
    return buffer.toString("latin1", 0, bytesRead);
  } catch {
    return undefined;
  } finally {
    await file.close();
  }
}

const MISSING = "does not exist (ENOENT)";

async function faultOfProgram(path: string): Promise<string | undefined> {
  const facts = await stat(path).catch((error: unknown) => errnoOf(error) ?? "unknown");
  if (typeof facts === "string") return faultOf(facts);
  if (facts.isDirectory()) return "is a folder (EACCES)";
  return access(path, constants.X_OK).then(
    () => undefined,
    () => "is not executable (EACCES)",
  );
}

async function faultOfFolder(path: string): Promise<string | undefined> {
  const facts = await stat(path).catch((error: unknown) => errnoOf(error) ?? "unknown");
  if (typeof facts === "string") return faultOf(facts);
  if (!facts.isDirectory()) return "is not a folder (ENOTDIR)";
  return access(path, constants.X_OK).then(
    () => undefined,
    () => "may not be entered (EACCES)",
  );
}

function faultOf(errno: string): string {
  return errno === "ENOENT" || errno === "ENOTDIR" ? MISSING : `cannot be looked at (${errno})`;
}

function quoted(text: string): string {
  return JSON.stringify(text);
}
