import { z } from "zod";
import { textBlock } from "../../content/content-block.ts";
import type { Redactor } from "../../redaction/redactor.ts";
import type { Workspace } from "../../workspace/workspace.ts";
import { defineTool, failed } from "../define-tool.ts";
import type { Tool, ToolOutcome } from "../tool.ts";
import { type FileLines, type LineSearchResult, searchLines } from "./line-search.ts";
import { MatchTimeout } from "./match-worker.ts";
import { MAX_FILE_BYTES, type SkipReason } from "./read-text.ts";
import { requiredLiteral } from "./required-literal.ts";
import { findRipgrep } from "./ripgrep.ts";
import { compileGlob, compileRegex } from "./search-pattern.ts";
import { searchPreview, searchStart, SHOWN_BYTES, tookTooLong } from "./search-start.ts";

const DEFAULT_LIMIT = 100;
const MAX_LIMIT = 1000;
const MAX_CONTEXT = 10;

const schema = z.strictObject({
  pattern: z.string().min(1).describe("Regular expression of JavaScript, for one line."),
  path: z.string().exactOptional().describe("File or folder; default the working directory."),
  include: z
    .string()
    .min(1)
    .exactOptional()
    .describe("Glob of files to search, such as *.ts or src/**/*.{ts,tsx}, relative to path."),
  ignore_case: z.boolean().exactOptional(),
  context: z
    .number()
    .int()
    .min(0)
    .max(MAX_CONTEXT)
    .exactOptional()
    .describe("Lines to show before and after each match; default 0."),
  limit: z
    .number()
    .int()
    .min(1)
    .max(MAX_LIMIT)
    .exactOptional()
    .describe(`Matching lines to show; default ${DEFAULT_LIMIT}.`),
});

export interface GrepToolDeps {
  readonly redact: Redactor;
  /** Of the environment of children: where ripgrep may be. Undefined: it is not used. */
  readonly searchPath?: string | undefined;
  /** Names the rule by which a file (absolute real path) is left out; absent: none is. */
  readonly deniedRead?: (path: string) => string | undefined;
}

/** Lines by a regular expression, sorted by file; the limit cuts the sorted list, the counts are of all. */
export function createGrepTool(
  workspace: Workspace,
  { redact, searchPath, deniedRead = () => undefined }: GrepToolDeps,
): Tool {
  return defineTool({
    name: "grep",
    description:
      "Search the lines of files with a regular expression. Leaves out what .gitignore excludes, .git, links, files with several hard links, binary files " +
      `and files of more than ${MAX_FILE_BYTES / 1024 / 1024} MiB. Gives each file's name, then "12: line" for a match and "13- line" around it.`,
    schema,
    kind: "search",
    risk: "read",
    prepare: async (input) => {
      const { pattern, path = ".", include, limit = DEFAULT_LIMIT, context = 0 } = input;
      const compiled = compileRegex(pattern, input.ignore_case ?? false);
      if (!compiled.ok) return compiled;
      const glob = include === undefined ? undefined : compileGlob(anywhere(include));
      if (glob?.ok === false) return glob;
      const start = await searchStart(workspace, path);
      if (!start.ok) return start;
      const { flags, source } = compiled.pattern;
      // Folding the case of all of Unicode, a letter of ASCII matches others.
      const literal = flags === "iu" ? undefined : requiredLiteral(source);
      return {
        ok: true,
        preview: searchPreview(`${pattern} in ${start.shown}`, start.path),
        run: async ({ signal }) => {
          const search = {
            workspace,
            start: start.path,
            isFolder: start.isFolder,
            pattern: compiled.pattern,
            hint: literal === undefined ? undefined : { literal, ignoreCase: flags.includes("i") },
            include: glob?.pattern,
            context,
            limit,
            deniedRead,
            ripgrep: await findRipgrep(searchPath, workspace),
            signal,
          };
          try {
            return outcomeOf(await searchLines(search), workspace, limit, redact);
          } catch (error) {
            if (error instanceof MatchTimeout) return failed(tookTooLong("pattern"));
            throw error;
          }
        },
      };
    },
  });
}

/** A name without a folder is meant for files of every folder. */
function anywhere(include: string): string {
  return include.includes("/") ? include : `**/${include}`;
}

function outcomeOf(
  result: LineSearchResult,
  workspace: Workspace,
  limit: number,
  redact: Redactor,
): ToolOutcome {
  const { matchingLines, matchingFiles, skipped } = result;
  const { body, shown } = render(result.files, workspace);
  const truncated = shown < matchingLines;
  const all = `${matchingLines} matching ${matchingLines === 1 ? "line" : "lines"} in ${matchingFiles} ${matchingFiles === 1 ? "file" : "files"}`;
  const why = shown < Math.min(limit, matchingLines) ? `${SHOWN_BYTES} bytes` : `${limit} lines`;
  const head = truncated ? `The first ${shown} of ${all} (limit: ${why}).` : `${all}.`;
  const text = [matchingLines === 0 ? "No line matches." : head, ...skippedNote(skipped), ...body];
  return { status: "completed", output: [textBlock(redact(text.join("\n")))], truncated };
}

/** As much as may be shown. */
function render(
  files: readonly FileLines[],
  workspace: Workspace,
): { readonly body: readonly string[]; readonly shown: number } {
  const body: string[] = [];
  let bytes = 0;
  let shown = 0;
  const hasContext = files.some(({ lines }) => lines.some(({ isMatch }) => !isMatch));
  for (const { path, lines } of files) {
    let last = lines[0]?.line ?? 0;
    const title = `\n${workspace.shown(path)}`;
    bytes += Buffer.byteLength(title);
    body.push(title);
    for (const { line, text, isMatch } of lines) {
      const gap = hasContext && line > last + 1 ? "--\n" : "";
      const entry = `${gap}${line}${isMatch ? ":" : "-"} ${text}`;
      bytes += Buffer.byteLength(entry) + 1;
      if (bytes > SHOWN_BYTES) return { body, shown };
      body.push(entry);
      shown += isMatch ? 1 : 0;
      last = line;
    }
  }
  return { body, shown };
}

const REASONS: Readonly<Record<SkipReason, string>> = {
  binary: "binary",
  large: `larger than ${MAX_FILE_BYTES / 1024 / 1024} MiB`,
  secret: "with key material",
  denied: "denied by a rule of the settings",
  linked: "with several hard links",
  unreadable: "unreadable",
};

function skippedNote(skipped: Readonly<Record<SkipReason, number>>): readonly string[] {
  const reasons = (Object.keys(REASONS) as SkipReason[])
    .filter((reason) => skipped[reason] > 0)
    .map((reason) => `${skipped[reason]} ${REASONS[reason]}`);
  return reasons.length === 0 ? [] : [`Not searched: ${reasons.join(", ")}.`];
}
