import { spawnSync } from "node:child_process";
import type { Command } from "@acumen/testkit";
import { aceMcpCommand } from "./ace-mcp.ts";

/** A server whose every file may have at most `kib` KiB: writes beyond fail for real (EFBIG). Needs no rights. */
export function withFileSizeLimit(kib: number): Command {
  const { command, args } = aceMcpCommand();
  // POSIX counts in 512-byte blocks, and dash, bash in its POSIX mode and busybox follow.
  // Without the trap the system would kill the process instead of refusing the write.
  return shell(`trap '' XFSZ; ulimit -f ${kib * 2} && exec "$0" "$@"`, [command, ...args]);
}

/** A server that sees `folder` as a disk of `kib` KiB of its own (ENOSPC). Needs user namespaces or root. */
export function withSmallDisk(folder: string, kib: number): Command {
  const { command, args } = aceMcpCommand();
  const script = `mount -t tmpfs -o size=${kib}k tmpfs "${folder}" && exec "$0" "$@"`;
  return {
    command: "unshare",
    args: [...NAMESPACE, "sh", "-c", script, command, ...args],
  };
}

const NAMESPACE = ["--user", "--map-root-user", "--mount"];

export function canMountSmallDisks(): boolean {
  const probe = ["sh", "-c", "mount -t tmpfs -o size=64k tmpfs /tmp"];
  return spawnSync("unshare", [...NAMESPACE, ...probe]).status === 0;
}

/** The server as a user without rights: root ignores the permission bits that a test sets. */
export function withoutRights(): Command {
  const { command, args } = aceMcpCommand();
  if (process.getuid?.() !== 0) return { command, args };
  const drop = "process.setgroups([]);process.setgid(65534);process.setuid(65534)";
  return { command, args: ["--import", `data:text/javascript,${drop}`, ...args] };
}

function shell(script: string, args: readonly string[]): Command {
  return { command: "sh", args: ["-c", script, ...args] };
}
