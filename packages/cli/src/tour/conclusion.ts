import { cliError } from "../errors.ts";
import type { Terminal } from "../terminal/terminal.ts";
import type { Dataset } from "./dataset.ts";
import { verdictLines } from "./report.ts";
import { summaryOf } from "./summary.ts";
import { failuresOf, type TourResult } from "./tour-result.ts";

/**
 * Prints the verdict.
 * @returns the summary for machines
 * @throws CLI_TOUR_FAILED naming every failed check, with the summary as details
 */
export function concludeTour(
  terminal: Terminal,
  dataset: Dataset,
  result: TourResult,
): Readonly<Record<string, unknown>> {
  const failures = failuresOf(result);
  const summary = summaryOf(dataset, result, failures);
  terminal.print(...verdictLines(terminal, result, failures));
  if (failures.length > 0) {
    throw cliError("CLI_TOUR_FAILED", `The tour failed: ${failures.join("; ")}.`, {
      details: summary,
    });
  }
  return summary;
}
