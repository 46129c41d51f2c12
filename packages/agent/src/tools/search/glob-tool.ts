import { relative, sep } from "node:path";
import { z } from "zod";
import { textBlock } from "../../content/content-block.ts";
import type { Redactor } from "../../redaction/redactor.ts";
import type { Workspace } from "../../workspace/workspace.ts";
import { defineTool, failed } from "../define-tool.ts";
import type { Tool, ToolOutcome } from "../tool.ts";
import { MatchTimeout, MatchWorker, type SearchPattern } from "./match-worker.ts";
import { compileGlob } from "./search-pattern.ts";
import {
  chunksOf,
  SEARCH_TIMEOUT_MS,
  searchPreview,
  searchStart,
  SHOWN_BYTES,
  tookTooLong,
} from "./search-start.ts";
import { walkFiles, type WalkNotes } from "./walk.ts";

const DEFAULT_LIMIT = 200;
const MAX_LIMIT = 2000;
const CHUNK = 4000;

const schema = z.strictObject({
  pattern: z
    .string()
    .min(1)
    .describe("Such as src/**/*.ts, relative to path. `*` stays in one folder, `**` goes deeper."),
  path: z.string().exactOptional().describe("Folder to search; default the working directory."),
  limit: z
    .number()
    .int()
    .min(1)
    .max(MAX_LIMIT)
    .exactOptional()
    .describe(`Default ${DEFAULT_LIMIT}.`),
});

interface GlobToolDeps {
  readonly redact: Redactor;
  /** Names the rule by which a file (absolute real path) is left out; absent: none is. */
  readonly deniedRead?: (path: string) => string | undefined;
}

const nothing = (): undefined => undefined;

/** Files by their names, sorted; the limit cuts the sorted list. */
export function createGlobTool(
  workspace: Workspace,
  { redact, deniedRead = nothing }: GlobToolDeps,
): Tool {
  return defineTool({
    name: "glob",
    description:
      "Find files by a glob over their paths. Gives a sorted list, without what .gitignore excludes, .git, links and key material.",
    schema,
    kind: "search",
    risk: "read",
    prepare: async ({ pattern, path = ".", limit = DEFAULT_LIMIT }) => {
      const start = await searchStart(workspace, path);
      if (!start.ok) return start;
      if (!start.isFolder)
        return { ok: false, message: `${path} is a file; glob searches a folder.` };
      const inner = pattern.startsWith(`${start.path}/`)
        ? pattern.slice(start.path.length + 1)
        : pattern;
      const compiled = compileGlob(inner);
      if (!compiled.ok) return compiled;
      const search = { workspace, start: start.path, pattern: compiled.pattern, limit };
      return {
        ok: true,
        preview: searchPreview(`${pattern} in ${start.shown}`, start.path),
        run: ({ signal }) => findFiles({ ...search, signal, redact, deniedRead }),
      };
    },
  });
}

interface FileSearch extends Required<GlobToolDeps> {
  readonly workspace: Workspace;
  readonly start: string;
  readonly pattern: SearchPattern;
  readonly limit: number;
  readonly signal: AbortSignal;
}

async function findFiles(search: FileSearch): Promise<ToolOutcome> {
  const { workspace, start, pattern, limit, deniedRead, signal, redact } = search;
  const worker = new MatchWorker([pattern], SEARCH_TIMEOUT_MS, signal);
  const notes: WalkNotes = { secret: 0, denied: 0, unreadable: 0 };
  const found: string[] = [];
  let total = 0;
  try {
    for await (const paths of chunksOf(
      walkFiles({ workspace, start, deniedRead, signal }, notes),
      CHUNK,
    )) {
      const names = paths.map((path) => relative(start, path).replaceAll(sep, "/"));
      const matches = await worker.names(0, names);
      const matching = paths.filter((_path, index) => matches[index] === true);
      total += matching.length;
      found.push(...matching.slice(0, limit - found.length));
    }
  } catch (error) {
    if (error instanceof MatchTimeout) return failed(tookTooLong("glob"));
    throw error;
  } finally {
    await worker.close();
  }
  return outcomeOf(
    found.map((path) => workspace.shown(path)),
    total,
    notes,
    redact,
  );
}

function outcomeOf(
  names: readonly string[],
  total: number,
  notes: WalkNotes,
  redact: Redactor,
): ToolOutcome {
  const shown: string[] = [];
  let bytes = 0;
  for (const name of names) {
    bytes += Buffer.byteLength(name) + 1;
    if (bytes > SHOWN_BYTES) break;
    shown.push(name);
  }
  const truncated = shown.length < total;
  const files = `${total} ${total === 1 ? "file" : "files"}`;
  const head = truncated
    ? `The first ${shown.length} of ${files}; a narrower glob shows the others.`
    : files;
  const left = notes.unreadable > 0 ? `\n${notes.unreadable} folders could not be read.` : "";
  const secret = notes.secret > 0 ? `\n${notes.secret} names of key material are left out.` : "";
  const denied =
    notes.denied > 0 ? `\n${notes.denied} files are left out by a rule of the settings.` : "";
  const lines = total === 0 ? "No file matches." : [head, ...shown].join("\n");
  return {
    status: "completed",
    output: [textBlock(redact(`${lines}${left}${secret}${denied}`))],
    truncated,
  };
}
