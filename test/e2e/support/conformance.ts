import { fileURLToPath } from "node:url";
import { sourceCommand } from "@acumen/testkit";
import { type RunResult, runCommand } from "./run-command.ts";

export interface Suite {
  /** The Node.js that the suite needs. */
  readonly node: string;
  /** The folder in which it is installed. */
  readonly folder: string;
}

/** Runs one scenario of the conformance suite against a session of the coding agent. */
export function runScenario(
  { node, folder }: Suite,
  scenario: string,
  specVersion?: string,
): Promise<RunResult> {
  const client = sourceCommand(new URL("conformance-client.ts", import.meta.url));
  const suite = `${folder}/node_modules/@modelcontextprotocol/conformance/dist/index.js`;
  return runCommand(
    node,
    [
      suite,
      "client",
      "--command",
      [client.command, ...client.args].join(" "),
      "--scenario",
      scenario,
      "--timeout",
      "60000",
      ...(specVersion === undefined ? [] : ["--spec-version", specVersion]),
    ],
    { cwd: fileURLToPath(new URL("../../..", import.meta.url)), timeoutMs: 120_000 },
  );
}
