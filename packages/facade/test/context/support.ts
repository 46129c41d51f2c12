import { mkdir, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { tempFolder } from "@acumen/testkit";
import { LOCAL_PRINCIPAL } from "../../src/access/principal.ts";
import {
  createLocalServices,
  type LocalServicesOptions,
} from "../../src/dispatch/local-services.ts";
import type { AssembledContext, ContextInput } from "../../src/services/context-service.ts";

export const CALLER = {
  principal: LOCAL_PRINCIPAL,
  requestId: "request",
  signal: new AbortController().signal,
};

/** Real services over one project. A `project` of the options stands for a folder made of the files. */
export async function contextBench(
  files: Readonly<Record<string, string | Uint8Array>>,
  options: Partial<LocalServicesOptions> & { readonly project?: string } = {},
) {
  const folder = await tempFolder("acumen-context");
  const { project = folder.join("shop"), ...rest } = options;
  await mkdir(folder.join("home"));
  await mkdir(folder.join("shop"));
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(folder.join("shop", path)), { recursive: true });
    await writeFile(folder.join("shop", path), content);
  }
  const local = createLocalServices({
    projects: [project],
    home: folder.join("home"),
    environment: { PATH: process.env["PATH"] },
    isTrusted: async () => true,
    ...rest,
  });
  const { context_service: service } = local.services;
  if (service === undefined) throw new Error("There is no context service.");
  return {
    ...local,
    folder,
    project,
    home: folder.join("home"),
    ask: (input: ContextInput = {}, caller = CALLER): Promise<AssembledContext> =>
      service.getContext(input, caller),
    [Symbol.asyncDispose]: async () => {
      await local.close();
      await folder[Symbol.asyncDispose]();
    },
  };
}

/** Paths of the files that are there, with their detail. */
export function filesOf({ fragments }: AssembledContext): Readonly<Record<string, string>> {
  return Object.fromEntries(
    fragments
      .filter(({ source }) => source === "files")
      .map(({ uri, detail }) => [uri.replace(/^file:/, ""), detail]),
  );
}

export function droppedOf({ dropped }: AssembledContext): Readonly<Record<string, string>> {
  return Object.fromEntries(dropped.map(({ uri, reason }) => [uri.replace(/^file:/, ""), reason]));
}
