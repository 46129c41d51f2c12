import type { ToolCallUpdate } from "@agentclientprotocol/sdk";
import { realpath } from "node:fs/promises";
import { resolve, sep } from "node:path";

interface NamedFolder {
  /** Absolute real path. */
  readonly real: string;
  /** As the host calls it. */
  readonly said: string;
}

/** A host may open a folder through a link, and then knows the files in it by no other name. */
export class HostPaths {
  /** The innermost first. */
  #folders: readonly NamedFolder[] = [];

  /** @param folders as the host calls them in its last request, absolute; where two are one, the first name counts */
  async use(folders: readonly string[]): Promise<void> {
    const named = await Promise.all(folders.map(namedFolder));
    this.#folders = named.toSorted((a, b) => b.real.length - a.real.length);
  }

  /** @param path absolute real path */
  of(path: string): string {
    const folder = this.#folders.find(({ real }) => isWithin(path, real));
    if (folder === undefined || folder.real === folder.said) return path;
    return resolve(folder.said, `.${sep}${path.slice(folder.real.length)}`);
  }

  /** A call with its places and diffs as the host calls them. */
  inCall<T extends Pick<ToolCallUpdate, "content" | "locations">>(call: T): T {
    const { content, locations } = call;
    return {
      ...call,
      ...(locations && {
        locations: locations.map((place) => ({ ...place, path: this.of(place.path) })),
      }),
      ...(content && {
        content: content.map((part) =>
          part.type === "diff" ? { ...part, path: this.of(part.path) } : part,
        ),
      }),
    };
  }
}

async function namedFolder(folder: string): Promise<NamedFolder> {
  const said = resolve(folder);
  return { said, real: await realpath(said).catch(() => said) };
}

function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}
