import { AcumenError, parseJson, readTextFile } from "@acumen/core";
import { aceError } from "../errors.ts";

/** A line of a trace file that holds no JSON. */
export interface SkippedLine {
  /** 1-based. */
  readonly line: number;
  readonly error: AcumenError;
}

export interface TraceFile {
  readonly traces: readonly unknown[];
  readonly skippedLines: readonly SkippedLine[];
}

/** Bytes of a trace file; more belongs in several files, because all of it is held in memory while it is learned. */
const MAX_BYTES = 64 * 1024 * 1024;

/**
 * Reads a JSONL file: one trace a line, empty lines ignored. A bad line costs only itself.
 * @throws CORE_FILE_NOT_FOUND, CORE_FILE_UNREADABLE, CORE_FILE_TOO_LARGE
 */
export async function readTraceFile(path: string): Promise<TraceFile> {
  return parseTraceLines(await readTextFile(path, { maxBytes: MAX_BYTES }));
}

function parseTraceLines(text: string): TraceFile {
  const traces: unknown[] = [];
  const skippedLines: SkippedLine[] = [];
  for (const [index, line] of text.split("\n").entries()) {
    if (line.trim() === "") continue;
    try {
      traces.push(parseJson(line));
    } catch (cause) {
      skippedLines.push({ line: index + 1, error: lineError(index + 1, cause) });
    }
  }
  return { traces, skippedLines };
}

function lineError(line: number, cause: unknown): AcumenError {
  const reason = AcumenError.isInstance(cause) ? ` ${cause.message}` : "";
  return aceError("ACE_TRACE_INVALID", `Line ${line} of the trace file was skipped.${reason}`, {
    cause,
    details: { line },
  });
}
