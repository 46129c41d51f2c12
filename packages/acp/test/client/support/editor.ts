import { RequestError, type ClientApp } from "@agentclientprotocol/sdk";

export interface Editor {
  /** What is not saved, by path. */
  readonly buffers: Map<string, string>;
  readonly serves: (host: ClientApp) => ClientApp;
}

/** An editor that keeps what it is given in buffers, and has no other file. */
export function editor(buffers: Iterable<readonly [string, string]> = []): Editor {
  const held = new Map(buffers);
  return {
    buffers: held,
    serves: (host) =>
      host
        .onRequest("fs/read_text_file", ({ params: { path } }) => {
          const content = held.get(path);
          if (content === undefined) throw RequestError.resourceNotFound(path);
          return { content };
        })
        .onRequest("fs/write_text_file", ({ params: { path, content } }) => {
          held.set(path, content);
          return {};
        }),
  };
}
