import { spawn } from "node:child_process";
import { closeSync, constants, openSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";

export interface OutputPipe {
  readonly reader: Readable;
  /** Descriptor for a child; closed here with `handedOver` as soon as the child has it. */
  readonly writer: number;
  handedOver(): void;
}

/**
 * A pipe of the system. What Node gives to children is a socket, which a script that writes to `/dev/stderr` cannot open,
 * and two of them lose the order of stdout and stderr.
 * @returns undefined where there is no `mkfifo`, or no room for it
 */
export async function openOutputPipe(): Promise<OutputPipe | undefined> {
  const folder = await mkdtemp(join(tmpdir(), "acumen-pipe-")).catch(() => undefined);
  if (folder === undefined) return undefined;
  const path = join(folder, "output");
  try {
    return (await makeFifo(path)) ? openBoth(path) : undefined;
  } catch {
    return undefined;
  } finally {
    await rm(folder, { recursive: true, force: true }).catch(() => undefined);
  }
}

/** In this order, and the first without waiting: opening one end waits for the other. */
function openBoth(path: string): OutputPipe {
  const read = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const writer = openSync(path, constants.O_WRONLY);
    const reader = new Socket({ fd: read, readable: true, writable: false });
    return { reader, writer, handedOver: () => closeSync(writer) };
  } catch (error) {
    closeSync(read);
    throw error;
  }
}

function makeFifo(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const made = spawn("mkfifo", ["-m", "600", path], { stdio: "ignore" });
    made.once("error", () => resolve(false));
    made.once("exit", (code) => resolve(code === 0));
  });
}
