import { spawn } from "node:child_process";
import { closeSync, constants, openSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable, Writable } from "node:stream";

const { O_NONBLOCK, O_RDONLY, O_WRONLY } = constants;

/** Pipes between this process and one child. */
export interface SystemPipes {
  readonly output: Readable;
  readonly input: Writable | undefined;
  /** For the child. */
  readonly descriptors: { readonly input: number | undefined; readonly output: number };
  /** Closes the child's ends here, as soon as the child has them. */
  handedOver(): void;
}

/**
 * What Node gives to children are sockets: a script that writes to `/dev/stderr` cannot open one, two of them lose the
 * order of stdout and stderr, and bash with one as its input takes itself for a remote shell and runs `~/.bashrc`.
 * @returns undefined where there is no `mkfifo`, or no room for it
 */
export async function openSystemPipes(withInput: boolean): Promise<SystemPipes | undefined> {
  const folder = await mkdtemp(join(tmpdir(), "acumen-pipe-")).catch(() => undefined);
  if (folder === undefined) return undefined;
  const opened: number[] = [];
  try {
    const output = join(folder, "output");
    const input = withInput ? join(folder, "input") : undefined;
    if (!(await makeFifos(input === undefined ? [output] : [output, input]))) return undefined;
    return connect(output, input, (path, flags) => {
      const descriptor = openSync(path, flags);
      opened.push(descriptor);
      return descriptor;
    });
  } catch {
    for (const descriptor of opened) closeSync(descriptor);
    return undefined;
  } finally {
    await rm(folder, { recursive: true, force: true }).catch(() => undefined);
  }
}

/** The first end of each is opened without waiting: opening waits for the other end. The child's ends must wait. */
function connect(
  output: string,
  input: string | undefined,
  open: (path: string, flags: number) => number,
): SystemPipes {
  const ours = open(output, O_RDONLY | O_NONBLOCK);
  const theirs = open(output, O_WRONLY);
  if (input === undefined) {
    return {
      output: new Socket({ fd: ours, readable: true, writable: false }),
      input: undefined,
      descriptors: { input: undefined, output: theirs },
      handedOver: () => closeSync(theirs),
    };
  }
  const first = open(input, O_RDONLY | O_NONBLOCK);
  const writing = open(input, O_WRONLY | O_NONBLOCK);
  const reading = open(input, O_RDONLY);
  closeSync(first);
  return {
    output: new Socket({ fd: ours, readable: true, writable: false }),
    input: new Socket({ fd: writing, readable: false, writable: true }),
    descriptors: { input: reading, output: theirs },
    handedOver: () => {
      closeSync(theirs);
      closeSync(reading);
    },
  };
}

function makeFifos(paths: readonly string[]): Promise<boolean> {
  return new Promise((resolve) => {
    const made = spawn("mkfifo", ["-m", "600", ...paths], { stdio: "ignore" });
    made.once("error", () => resolve(false));
    made.once("exit", (code) => resolve(code === 0));
  });
}
