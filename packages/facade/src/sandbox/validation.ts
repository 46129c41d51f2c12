/** A command that must succeed at the merge result. */
export interface ValidationSpec {
  readonly name: string;
  /** Run by the shell. */
  readonly run: string;
  readonly timeout_seconds: number;
  /** Default false: no network. */
  readonly network: boolean;
}

export interface ValidationResult {
  readonly name: string;
  readonly status: "passed" | "failed" | "timed_out" | "not_run";
  readonly exit_code: number | null;
  readonly duration_ms: number;
  /** Last part of stdout and stderr, bounded and redacted. */
  readonly output: string;
}
