import { type ProcessExit, sourceCommand, startProcess } from "@acumen/testkit";

const BIN = new URL("../../src/bin.ts", import.meta.url);

export interface Finished extends ProcessExit {
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs `acumen` from its sources as a real process and waits for its end. */
export async function acumen(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Finished> {
  await using child = startProcess(sourceCommand(BIN, args), { env });
  child.child.stdin.end();
  const exit = await child.exited;
  return { ...exit, stdout: child.stdout(), stderr: child.stderr() };
}
