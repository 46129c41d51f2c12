import type { FileOperations, HostWritten } from "@acumen/agent";
import { AcumenError, isJsonObject, type Logger } from "@acumen/core";
import type { ClientFeatures } from "./client-features.ts";
import type { ClientRequests } from "./client-requests.ts";
import { asStored, diskText, hasMark, isPlainText, withoutMark } from "./disk-text.ts";

/** After so many requests in a row without an answer a host is not asked for files any more. */
const MAX_SILENCES = 2;

/** Files through the host's editor, as far as it can. Paths have passed the agent's own policy. */
export function hostFiles(
  requests: Pick<ClientRequests, "ask">,
  features: Pick<ClientFeatures, "readTextFile" | "writeTextFile">,
  logger: Logger,
): FileOperations | undefined {
  if (!features.readTextFile && !features.writeTextFile) return undefined;
  const files = new HostFiles(requests, logger);
  return {
    ...(features.readTextFile && { readBuffer: (path, signal) => files.read(path, signal) }),
    ...(features.writeTextFile && {
      writeBuffer: (path, content, signal) => files.write(path, content, signal),
    }),
  };
}

class HostFiles {
  readonly #requests: Pick<ClientRequests, "ask">;
  readonly #logger: Logger;
  #reads = true;
  #writes = true;
  #silences = 0;
  /** Nobody knows what the editor holds of these: to write through it could lose work that was not saved. */
  readonly #unknown = new Set<string>();
  /** Files with a byte order mark that the editor keeps to itself. */
  readonly #unmarked = new Set<string>();

  constructor(requests: Pick<ClientRequests, "ask">, logger: Logger) {
    this.#requests = requests;
    this.#logger = logger;
  }

  /** Undefined: the disk has it, as far as anybody can tell. */
  async read(path: string, signal: AbortSignal): Promise<string | undefined> {
    if (!this.#reads) return undefined;
    const disk = await diskText(path, signal);
    if (disk.type === "other") return undefined;
    const answer = await this.#requests.ask("fs/read_text_file", { path }, { signal });
    this.#unknown.delete(path);
    if (answer.type === "silent") return this.#noRead(path);
    this.#silences = 0;
    if (answer.type === "gone") return undefined;
    if (answer.type === "refused") {
      if (answer.unknownMethod) this.#reads = false;
      this.#logger.debug("the host did not read a file", { path, reason: answer.reason });
      return undefined;
    }
    const held = contentOf(answer.result);
    if (held === undefined) {
      this.#unknown.add(path);
      this.#logger.warn("the host answered a read with what is no text", { path });
      return undefined;
    }
    if (disk.type === "text" && hasMark(disk.text) && !hasMark(held)) this.#unmarked.add(path);
    else this.#unmarked.delete(path);
    return asStored(held, disk);
  }

  #noRead(path: string): undefined {
    this.#unknown.add(path);
    this.#silences += 1;
    this.#logger.warn("the host did not answer a read in time", { path });
    if (this.#silences >= MAX_SILENCES) {
      this.#reads = false;
      this.#writes = false;
      this.#logger.warn("the host is not asked for files any more", {});
    }
    return undefined;
  }

  /** Never rejects because of an abort: whether the host wrote is not known then. */
  async write(path: string, content: string, signal: AbortSignal): Promise<HostWritten> {
    if (!this.#writes || this.#unknown.has(path) || !isPlainText(content)) return false;
    const disk = await diskText(path, signal);
    if (disk.type === "other") return false;
    const text = this.#unmarked.has(path) ? withoutMark(content) : content;
    const answer = await this.#requests
      .ask("fs/write_text_file", { path, content: text }, { signal })
      .catch((error: unknown) => {
        if (AcumenError.isInstance(error) && signal.aborted) return undefined;
        throw error;
      });
    if (answer?.type === "answered") return true;
    if (answer?.type !== "refused") return "unconfirmed";
    if (!answer.cannot) throw new Error(answer.reason);
    if (answer.unknownMethod) this.#writes = false;
    this.#logger.debug("the host did not write a file", { path, reason: answer.reason });
    return false;
  }
}

function contentOf(result: unknown): string | undefined {
  const content = isJsonObject(result) ? result["content"] : undefined;
  return typeof content === "string" && isPlainText(content) ? content : undefined;
}
