import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { readText, ROOT } from "./repository.ts";

export interface Finding {
  readonly rule: string;
  readonly file: string;
  readonly line: number;
  readonly help: string;
}

/** The repository's lint configuration as text. Type-aware rules need a project, so most fixtures go without. */
export function lintConfig(options: { readonly typeAware: boolean }): string {
  const config = JSON.parse(readText(".oxlintrc.json")) as { options: Record<string, unknown> };
  config.options["typeAware"] = options.typeAware;
  return JSON.stringify(config);
}

interface Report {
  readonly diagnostics: readonly {
    readonly code: string;
    readonly filename: string;
    readonly help?: string;
    readonly labels: readonly { readonly span: { readonly line: number } }[];
  }[];
}

/**
 * Runs the repository's oxlint over a fixture folder that holds its own `.oxlintrc.json`; findings by file and line,
 * because oxlint reports files as its threads finish them.
 * The folder must not link to the repository's node_modules: oxlint then never ends.
 */
export function runOxlint(folder: string): readonly Finding[] {
  const bin = join(ROOT, "node_modules/.bin");
  const run = spawnSync(join(bin, "oxlint"), ["--format", "json", "."], {
    cwd: folder,
    encoding: "utf8",
    timeout: 60_000,
    env: { PATH: process.env["PATH"], OXLINT_TSGOLINT_PATH: join(bin, "tsgolint") },
  });
  if (!run.stdout.trimStart().startsWith("{")) {
    throw new Error(`oxlint gave no report: ${run.stdout}${run.stderr}${String(run.error ?? "")}`);
  }
  const report = JSON.parse(run.stdout) as Report;
  return report.diagnostics
    .map((diagnostic) => ({
      rule: diagnostic.code,
      file: diagnostic.filename,
      line: diagnostic.labels[0]?.span.line ?? 0,
      help: diagnostic.help ?? "",
    }))
    .toSorted((a, b) => a.file.localeCompare(b.file) || a.line - b.line);
}
