import { mkdir } from "node:fs/promises";
import { tempFolder } from "@acumen/testkit";
import { describe, expect, test } from "vitest";
import { type Outcome, runMain } from "../support/run-main.ts";

interface Line {
  readonly id?: unknown;
  readonly result?: Record<string, unknown>;
  readonly error?: { readonly code: number };
}

async function serve(
  lines: readonly object[],
  options: { flags?: readonly string[]; variables?: Record<string, string> } = {},
): Promise<Outcome & { readonly answers: Line[] }> {
  await using folder = await tempFolder();
  await mkdir(folder.path, { recursive: true });
  let answered = (): void => undefined;
  const first = new Promise<void>((resolve) => (answered = resolve));
  async function* input(): AsyncGenerator<Uint8Array> {
    for (const line of lines) yield Buffer.from(`${JSON.stringify(line)}\n`);
    // A host waits for the answer before it ends.
    await first;
  }
  const outcome = await runMain(["acp", ...(options.flags ?? [])], {
    home: folder.path,
    stdin: input() as unknown as readonly Uint8Array[],
    onStdout: () => answered(),
    onStderr: () => answered(),
    ...(options.variables && { variables: options.variables }),
  });
  const answers = outcome.stdout
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Line);
  return { ...outcome, answers };
}

const INITIALIZE = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: 1, clientCapabilities: { auth: { terminal: true } } },
};

describe("acumen acp", () => {
  test("greets its host and ends with 0 when its input does", async () => {
    const variables = { ANTHROPIC_API_KEY: "k" };
    const flags = ["--model", "anthropic/claude-sonnet-4-5"];
    const { code, stderr, answers } = await serve([INITIALIZE], { flags, variables });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(answers).toMatchObject([
      {
        id: 1,
        result: {
          agentInfo: { name: "acumen" },
          authMethods: [],
          agentCapabilities: { promptCapabilities: { image: true } },
        },
      },
    ]);
  });

  test("offers the set-up as sign-in while no model could be asked", async () => {
    const { answers } = await serve([INITIALIZE]);
    expect(answers[0]?.result?.["authMethods"]).toMatchObject([
      { type: "terminal", args: ["--setup"] },
    ]);
  });

  test.each([
    [["--model", "nonsense/x"], {}, "CLI_USAGE"],
    [["--mode", "wild"], {}, "CLI_USAGE"],
    [["--config", "/nowhere/config.json"], {}, "CLI_USAGE"],
    [[], { ACUMEN_MODEL: "nonsense/x" }, "CLI_SETTING_INVALID"],
    [[], { ACUMEN_AGENT: "1" }, "CLI_REFUSED_TO_AGENT"],
  ] as const)("serves nobody with %j and %j: %s", async (flags, variables, code) => {
    const outcome = await serve([INITIALIZE], { flags, variables });
    expect(outcome).toMatchObject({ code: 2, stdout: "" });
    expect(outcome.stderr).toContain(`acumen: ${code}: `);
  });
});
