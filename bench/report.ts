import { mkdir, writeFile } from "node:fs/promises";
import { cpus, loadavg, platform, release, totalmem } from "node:os";
import { dirname } from "node:path";
import type { BenchResult } from "./bench-result.ts";

/** Where the figures were taken. */
export interface Machine {
  readonly cpu: string;
  readonly cores: number;
  readonly memoryGb: number;
  readonly system: string;
  readonly node: string;
  /** Runnable processes over the last minute; above the number of cores, times are those of a busy machine. */
  readonly load: number;
}

export function describeMachine(): Machine {
  const all = cpus();
  return {
    cpu: all[0]?.model.trim() ?? "unknown",
    cores: all.length,
    memoryGb: Math.round(totalmem() / 2 ** 30),
    system: `${platform()} ${release()}`,
    node: process.version,
    load: Math.round((loadavg()[0] ?? 0) * 100) / 100,
  };
}

const COLUMNS = ["what", "median", "p99", "spread", "unit", "runs", "bar", "", "note"] as const;

/** Plain text, one line a figure. */
export function printTable(results: readonly BenchResult[]): string {
  const rows = results.map((result) => [
    result.name,
    number(result.median),
    result.p99 === undefined ? "" : number(result.p99),
    number(result.spread),
    result.unit,
    String(result.runs),
    result.bar ?? "",
    result.pass === undefined ? "" : result.pass ? "met" : "MISSED",
    result.note ?? "",
  ]);
  const widths = COLUMNS.map((title, i) =>
    Math.max(title.length, ...rows.map((row) => row[i]?.length ?? 0)),
  );
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, i) =>
        i >= 1 && i <= 3 ? cell.padStart(widths[i] ?? 0) : cell.padEnd(widths[i] ?? 0),
      )
      .join("  ")
      .trimEnd();
  return [line(COLUMNS), line(widths.map((width) => "-".repeat(width))), ...rows.map(line)].join(
    "\n",
  );
}

/** Three significant digits are more than a run repeats. */
function number(value: number): string {
  return Math.abs(value) >= 100 ? String(Math.round(value)) : String(Number(value.toPrecision(3)));
}

export async function writeJson(
  path: string,
  machine: Machine,
  results: readonly BenchResult[],
): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, `${JSON.stringify({ machine, results }, null, 2)}\n`);
}
