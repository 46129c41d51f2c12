import { execFile } from "node:child_process";
import { constants } from "node:fs";
import { access, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { promisify } from "node:util";
import { errnoOf } from "@acumen/core";
import { isInstalled } from "../models/catalogue.ts";
import { type Check, check } from "./check.ts";

/** Least version that is tested, as in `engines` of the manifests. */
const NODE_NEEDED = [20, 19] as const;
const GIT_TIMEOUT_MS = 5_000;

export function checkNode(version: string): Check {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const [needMajor, needMinor] = NODE_NEEDED;
  const enough = major > needMajor || (major === needMajor && minor >= needMinor);
  return enough
    ? check("node", "ok", `Node ${version}`)
    : check(
        "node",
        "wrong",
        `Node ${version} is older than ${NODE_NEEDED.join(".")}`,
        "Install a newer Node from https://nodejs.org.",
      );
}

/** @param path the PATH to look git up in */
export async function checkGit(path: string | undefined, signal: AbortSignal): Promise<Check> {
  try {
    const { stdout } = await promisify(execFile)("git", ["--version"], {
      env: path === undefined ? {} : { PATH: path },
      timeout: GIT_TIMEOUT_MS,
      signal,
    });
    return check("git", "ok", stdout.trim());
  } catch (error) {
    const reason = errnoOf(error) === "ENOENT" ? "is not on the PATH" : "does not run";
    return check("git", "wrong", `git ${reason}`, "Install git from https://git-scm.com.");
  }
}

/** Looks and writes nothing; a folder that does not exist yet counts when it can be made. */
export async function checkWritable(name: string, folder: string): Promise<Check> {
  const existing = await nearestExisting(folder);
  const missing = existing === folder ? "" : " (will be made when needed)";
  try {
    if (!(await stat(existing)).isDirectory()) {
      return check(name, "wrong", `${existing} is no folder`, "Remove it or choose another one.");
    }
    await access(existing, constants.W_OK | constants.X_OK);
    return check(name, "ok", `${folder} can be written${missing}`);
  } catch (error) {
    return check(
      name,
      "wrong",
      `${existing} cannot be written (${errnoOf(error) ?? "unknown error"})`,
      name === "home"
        ? "Mend its permissions, or set ACUMEN_HOME to another folder."
        : "Mend its permissions, or work in another folder.",
    );
  }
}

/** What `ace-mcp` needs beside the engine; an optional peer of it. */
export function checkMcpPeer(
  isThere: (name: string, from: string) => boolean = isInstalled,
): Check {
  const name = "@modelcontextprotocol/server";
  return isThere(name, "@acumen/ace")
    ? check("ace-mcp", "ok", `${name} is installed`)
    : check("ace-mcp", "wrong", `${name} is not installed`, `Run: npm install ${name}@^2.4.0`);
}

async function nearestExisting(folder: string): Promise<string> {
  try {
    await stat(folder);
    return folder;
  } catch (error) {
    const errno = errnoOf(error);
    const parent = dirname(folder);
    return (errno === "ENOENT" || errno === "ENOTDIR") && parent !== folder
      ? nearestExisting(parent)
      : folder;
  }
}
