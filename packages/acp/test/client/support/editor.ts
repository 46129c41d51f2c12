import { RequestError, type ClientApp } from "@agentclientprotocol/sdk";

export interface Editor {
  /** What is not saved, by path. */
  readonly buffers: Map<string, string>;
  readonly serves: (host: ClientApp) => ClientApp;
}

/** An editor that keeps what it is given in buffers, and has no other file. */
export function editor(
  answers: {
    readonly read?: (path: string) => Promise<string>;
    readonly write?: (path: string, content: string) => Promise<void>;
  } = {},
): Editor {
  const held = new Map<string, string>();
  return {
    buffers: held,
    serves: (host) =>
      host
        .onRequest("fs/read_text_file", async ({ params: { path } }) => {
          if (answers.read !== undefined) return { content: await answers.read(path) };
          const content = held.get(path);
          if (content === undefined) throw RequestError.resourceNotFound(path);
          return { content };
        })
        .onRequest("fs/write_text_file", async ({ params: { path, content } }) => {
          if (answers.write === undefined) held.set(path, content);
          else await answers.write(path, content);
          return {};
        }),
  };
}
