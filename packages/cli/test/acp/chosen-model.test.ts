import { mkdir, realpath, writeFile } from "node:fs/promises";
import { tempFolder } from "@acumen/testkit";
import { expect, test } from "vitest";
import { checkHost } from "../../src/acp/check-host.ts";
import { readEnvironment } from "../../src/environment.ts";
import { withHost } from "../support/host-talk.ts";

const ANTHROPIC = "anthropic/claude-sonnet-4-5";
const OPENAI = "openai/gpt-4o-mini";
const KEY = { OPENAI_API_KEY: "k" };

interface Case {
  readonly name: string;
  readonly variables?: Readonly<Record<string, string>>;
  /** Settings of the machine, and of the workspace. */
  readonly machine?: object;
  readonly workspace?: object | string;
  readonly trustOnce?: boolean;
  /** The model of a session that begins there, or the wire's code and the check's. */
  readonly begins?: string;
  readonly refused?: readonly [wire: number, wireCode: string, check: string];
  readonly login?: true;
}

const NO_KEY = [-32000, "AGENT_NO_CREDENTIALS", "CLI_NO_CREDENTIALS"] as const;
const NO_MODEL = [-32603, "NO_MODEL", "CLI_NO_MODEL"] as const;
const CASES: readonly Case[] = [
  {
    name: "the model of a workspace that is trusted once",
    variables: KEY,
    workspace: { model: OPENAI },
    trustOnce: true,
    begins: OPENAI,
  },
  {
    name: "the model of a workspace, where the machine's has no key",
    variables: KEY,
    machine: { model: ANTHROPIC },
    workspace: { model: OPENAI },
    trustOnce: true,
    begins: OPENAI,
    login: true,
  },
  {
    name: "the model of a workspace that has no key, where the machine's has one",
    variables: KEY,
    machine: { model: OPENAI },
    workspace: { model: ANTHROPIC },
    trustOnce: true,
    refused: NO_KEY,
  },
  {
    name: "the model of a workspace that is not trusted",
    variables: KEY,
    machine: { model: OPENAI },
    workspace: { model: ANTHROPIC },
    begins: OPENAI,
  },
  { name: "keys without a model", variables: KEY, refused: NO_MODEL },
  {
    name: "keys with a model that recalls and does not converse",
    variables: KEY,
    machine: { model: "builtin/recall" },
    refused: NO_MODEL,
  },
  {
    name: "neither key nor model",
    refused: [-32000, "AGENT_NO_CREDENTIALS", "CLI_NO_MODEL"],
    login: true,
  },
  {
    name: "somebody else's key",
    variables: KEY,
    machine: { model: ANTHROPIC },
    refused: NO_KEY,
    login: true,
  },
  {
    name: "a trusted workspace whose settings are broken",
    variables: KEY,
    machine: { model: OPENAI },
    workspace: "{oops",
    trustOnce: true,
    refused: [-32603, "CLI_SETTINGS_FILE_INVALID", "CLI_SETTINGS_FILE_INVALID"],
  },
  {
    name: "a trusted workspace whose rules mean nothing",
    variables: KEY,
    machine: { model: OPENAI },
    workspace: { permissions: { deny: ["bash("] } },
    trustOnce: true,
    refused: [-32603, "AGENT_RULE_INVALID", "AGENT_RULE_INVALID"],
  },
];

test.each(CASES)("the check says what a session does: $name", async (given) => {
  const { variables = {}, machine, workspace, trustOnce = false, begins, refused, login } = given;
  await using folder = await tempFolder();
  const home = folder.join("home");
  const project = folder.join("project");
  await mkdir(home, { recursive: true });
  await mkdir(`${project}/.acumen`, { recursive: true });
  if (machine !== undefined) await writeFile(`${home}/config.json`, JSON.stringify(machine));
  if (workspace !== undefined) {
    const text = typeof workspace === "string" ? workspace : JSON.stringify(workspace);
    await writeFile(`${project}/.acumen/config.json`, text);
  }
  const cwd = await realpath(project);

  let printed = "";
  const checked = await checkHost(
    { color: false, trustOnce },
    contextWith(home, variables),
    cwd,
  ).then(
    () => undefined,
    (error: unknown) => error,
  );
  const said = printed.replaceAll(/\s+/g, " ");
  expect(checked).toEqual(
    refused === undefined ? undefined : expect.objectContaining({ code: refused[2] }),
  );
  if (begins !== undefined) expect(said).toContain(`begins a session here asks ${begins}.`);
  if (refused === undefined && workspace !== undefined) {
    const trusted = "this workspace is trusted for this process";
    expect(said).toContain(trustOnce ? trusted : "is not read: this workspace is not trusted");
    expect(said.includes("is not read")).toBe(!trustOnce);
  }

  const flags = trustOnce ? ["--trust-once"] : [];
  await withHost({ home, variables, flags }, async (ask, initialized) => {
    expect(initialized.result?.authMethods?.length).toBe(login === true ? 1 : 0);
    const { result, error } = await ask("session/new", { cwd, mcpServers: [] });
    const model = result?.configOptions?.find(({ id }) => id === "model")?.currentValue;
    expect(model).toBe(begins);
    expect(error === undefined).toBe(refused === undefined);
    if (refused === undefined) return;
    const [code, wireCode] = refused;
    expect(error).toMatchObject({ code, data: { code: wireCode } });
    expect(error?.message).not.toBe("");
    if (code === -32000 || wireCode === "NO_MODEL")
      expect(error?.message).toContain("acumen setup");
  });

  function contextWith(
    at: string,
    extra: Readonly<Record<string, string>>,
  ): Parameters<typeof checkHost>[1] {
    return {
      stdout: { write: (text) => void (printed += text) },
      stderr: { write: () => undefined },
      stdin: () => expect.fail("nothing is read"),
      environment: readEnvironment({ ...extra, ACUMEN_HOME: at, PATH: process.env["PATH"] }),
      signal: new AbortController().signal,
      ending: { exitCode: 0, resultWritten: false },
    };
  }
});
