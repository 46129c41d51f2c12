import { childEnvironment, LocalProcesses, ProcessGuard } from "@acumen/agent";
import { abortError, type Clock, throwIfAborted } from "@acumen/core";
import type { Boundaries, Bubblewrap } from "./isolation.ts";
import type { ValidationResult, ValidationSpec } from "./validation.ts";

/** The end of the output says what went wrong. */
const OUTPUT_BYTES = 16 * 1024;

interface ValidationRun {
  readonly specs: readonly ValidationSpec[];
  readonly bubblewrap: Bubblewrap | undefined;
  readonly boundaries: Boundaries;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly redact: (text: string) => string;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  validated(event: {
    readonly name: string;
    readonly result: ValidationResult | undefined;
  }): Promise<void>;
}

/** One after the other; after one that failed the rest is not run. @throws the abort's error */
export async function runValidations(run: ValidationRun): Promise<readonly ValidationResult[]> {
  const guard = new ProcessGuard();
  const results: ValidationResult[] = [];
  try {
    for (const spec of run.specs) {
      const skipped = results.some(({ status }) => status !== "passed");
      if (skipped) {
        results.push(notRun(spec, "An earlier validation failed."));
        continue;
      }
      throwIfAborted(run.signal);
      await run.validated({ name: spec.name, result: undefined });
      const result = await runOne(spec, run, guard);
      results.push(result);
      await run.validated({ name: spec.name, result });
    }
  } finally {
    guard.close();
  }
  return results;
}

export function notRun({ name }: ValidationSpec, output: string): ValidationResult {
  return { name, status: "not_run", exit_code: null, duration_ms: 0, output };
}

async function runOne(
  { name, run: command, timeout_seconds: seconds, network }: ValidationSpec,
  { bubblewrap, boundaries, environment, redact, clock, signal }: ValidationRun,
  guard: ProcessGuard,
): Promise<ValidationResult> {
  const processes = new LocalProcesses(
    guard,
    ({ file, args, cwd }) =>
      bubblewrap?.wrap({ file, args, cwd, network }, boundaries) ?? { file, args },
  );
  const output = new Tail(OUTPUT_BYTES);
  const startedAt = clock.monotonicMs();
  const { exitCode, timedOut } = await processes.exec({
    command,
    cwd: boundaries.work,
    env: childEnvironment(environment),
    timeoutMs: Math.ceil(seconds * 1000),
    signal,
    onData: (chunk) => output.push(chunk),
  });
  if (signal.aborted) throw abortError(signal);
  return {
    name,
    status: timedOut ? "timed_out" : exitCode === 0 ? "passed" : "failed",
    exit_code: timedOut ? null : exitCode,
    duration_ms: Math.max(0, Math.round(clock.monotonicMs() - startedAt)),
    output: output.text(redact),
  };
}

class Tail {
  readonly #limit: number;
  #chunks: Uint8Array[] = [];
  #size = 0;
  #cut = false;

  constructor(limit: number) {
    this.#limit = limit;
  }

  push(chunk: Uint8Array): void {
    this.#chunks.push(Uint8Array.from(chunk));
    this.#size += chunk.length;
    if (this.#size < 4 * this.#limit) return;
    const last = Buffer.concat(this.#chunks).subarray(-2 * this.#limit);
    this.#chunks = [last];
    this.#size = last.length;
    this.#cut = true;
  }

  /** What is cut off is redacted too: half a secret would not be known as one. */
  text(redact: (text: string) => string): string {
    const whole = visible(redact(Buffer.concat(this.#chunks).toString("utf8")));
    const shown = whole.slice(-this.#limit);
    return this.#cut || shown.length < whole.length
      ? `[the beginning is left out]\n${shown}`
      : shown;
  }
}

/** A terminal obeys the rest. */
function visible(text: string): string {
  return text.replaceAll("\r\n", "\n").replace(/[^\P{C}\n\t]/gu, "\ufffd");
}
