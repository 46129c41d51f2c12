import { throwIfAborted } from "@acumen/core";
import { type ChildOptions, runChild } from "./child-run.ts";

export interface GitVersion {
  readonly major: number;
  readonly minor: number;
}

/** Undefined: no git can be started in this environment. One that does not say its version has 0.0. @throws the signal's reason */
export async function gitVersion(options: ChildOptions): Promise<GitVersion | undefined> {
  try {
    const { stdout } = await runChild({ command: "git", args: ["--version"] }, options);
    const [, major, minor] = /(\d+)\.(\d+)/.exec(stdout) ?? [];
    return { major: Number(major ?? 0), minor: Number(minor ?? 0) };
  } catch {
    throwIfAborted(options.signal);
    return undefined;
  }
}
