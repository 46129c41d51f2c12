import { untilAborted } from "@acumen/core";
import type { FileOperations } from "../tools/operations.ts";
import { fileRefused } from "./file-refused.ts";
import type { StagedFile } from "./staged-file.ts";
import type { StagedSet } from "./staged-set.ts";
import type { Place } from "./workspace.ts";

/** How long a host may take to put its buffer back. Milliseconds. */
const PUT_BACK_MS = 500;

const UNCONFIRMED = new WeakSet<object>();

/** The host may have written the file, and nobody knows. */
export function isUnconfirmed(error: unknown): error is Error {
  return error instanceof Error && UNCONFIRMED.has(error);
}

export interface HostWrite {
  readonly place: Place;
  readonly text: string;
  /** What the host gets back if a later step fails; a staged file: there was none. */
  readonly putBack: string | Pick<StagedFile, "removeNew">;
}

/**
 * @returns false: the host took nothing, so the disk is to be written
 * @throws FileRefused; the abort's error
 */
export async function writeThroughHost(
  { place, text, putBack }: HostWrite,
  context: {
    readonly operations: FileOperations | undefined;
    readonly set: StagedSet;
    readonly signal: AbortSignal;
  },
): Promise<boolean> {
  const { operations, set, signal } = context;
  if (operations?.writeBuffer === undefined) return false;
  const write = operations.writeBuffer.bind(operations);
  const restore = async (): Promise<void> => {
    if (typeof putBack !== "string") return putBack.removeNew();
    const late = AbortSignal.timeout(PUT_BACK_MS);
    const taken = await untilAborted(write(place.path, putBack, late), late);
    if (taken !== true) throw new Error("the host did not take it");
  };
  const forget = set.taken({ putBack: restore, where: "the editor" });
  const asked = write(place.path, text, signal).catch((error: unknown) => {
    forget();
    throw fileRefused(`The editor did not write ${place.shown} (${reasonOf(error)}).`);
  });
  const taken = await untilAborted(asked, signal);
  if (taken !== true) forget();
  if (taken === "unconfirmed") throw unconfirmed(place);
  return taken;
}

function unconfirmed({ shown }: Place): Error {
  const error = fileRefused(
    `The editor did not say whether it wrote ${shown}: it may have been written. It was not written again, and nothing else was changed; read it before you go on.`,
  );
  UNCONFIRMED.add(error);
  return error;
}

/** The first line, bounded: it is another program's text. */
function reasonOf(error: unknown): string {
  const message = error instanceof Error ? error.message : "no reason given";
  return message.split("\n", 1).join("").slice(0, 200);
}
