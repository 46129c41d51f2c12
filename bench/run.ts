/**
 * Runs every `bench/*.bench.ts`, prints a table and writes `.bench/results.json`. `npm run bench -- skill` runs those whose name contains
 * `skill`. Exit code 1 when a bench fails to run; a missed bar is printed, not hidden behind an exit code.
 */
import { readdir } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import type { BenchModule, BenchResult } from "./bench-result.ts";
import { describeMachine, printTable, writeJson } from "./report.ts";

const here = fileURLToPath(new URL(".", import.meta.url));
const filters = process.argv.slice(2);
const files = (await readdir(here))
  .filter((file) => file.endsWith(".bench.ts"))
  .filter((file) => filters.length === 0 || filters.some((filter) => file.includes(filter)))
  .toSorted();

const machine = describeMachine();
console.log(
  `${machine.cpu}, ${machine.cores} cores, ${machine.memoryGb} GB, ${machine.system}, Node ${machine.node}, load ${machine.load}`,
);
const results: BenchResult[] = [];
for (const file of files) {
  console.log(`\n${file}`);
  try {
    const { run } = (await import(new URL(file, import.meta.url).href)) as BenchModule;
    const found = await run();
    results.push(...found);
    console.log(printTable(found));
  } catch (error) {
    console.error(error);
    process.exitCode = 1;
  }
}
const target = fileURLToPath(new URL("../.bench/results.json", import.meta.url));
await writeJson(target, machine, results);
const judged = results.filter((result) => result.pass !== undefined);
const missed = judged.filter((result) => result.pass === false);
console.log(`\n${judged.length - missed.length} bars met, ${missed.length} missed; ${target}`);
