import { chmod, mkdir, symlink, writeFile } from "node:fs/promises";
import { createId } from "@acumen/core";
import { expect, test } from "vitest";
import type { StdioDefinition } from "../../../src/mcp/config/server-definition.ts";
import { bench, type Bench, listenTo, scripted, started, stdio } from "./support.ts";

/** Says once what it was started with, and ends when its input does. */
const FACTS = `send({ method: "facts", params: { words: process.argv.slice(1), env: process.env, cwd: process.cwd() } }); listen();`;

interface Facts {
  readonly words: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
}

async function factsOf(b: Bench, definition: StdioDefinition): Promise<Facts> {
  const opened = await b.open(definition);
  return new Promise((resolve, reject) => {
    opened.transport.onmessage = (message) =>
      resolve((message as unknown as { params: Facts }).params);
    opened.transport.onclose = () => reject(new Error(opened.stderrTail()));
    opened.transport.start().catch(reject);
  });
}

/** Why it was not started, after the start said the same. */
async function faultOf(b: Bench, definition: StdioDefinition): Promise<string> {
  const opened = await b.open(definition);
  const heard = listenTo(opened.transport);
  const fault = await opened.transport.start().then(
    () => "it was started",
    (error: unknown) => String(error instanceof Error ? error.message : error),
  );
  const end = await opened.ended;
  expect(end).toMatchObject({ kind: "not_started", exitCode: null, signal: null });
  expect(end.error?.message).toBe(fault);
  expect(heard.closed()).toBe(1);
  await opened.close();
  return fault;
}

test("arguments arrive as they stand there: order, duplicates, spaces, quotes and empty ones", async () => {
  await using b = await bench();
  const words = ["b c", "a", "a", "", "-n", "--", "$HOME", "`id`", "q\"'", "line\nbreak", "ä*"];
  expect((await factsOf(b, scripted(FACTS, { words }))).words).toEqual(words);
});

test("the environment is the given one and the server's own, and ACUMEN_AGENT stays", async () => {
  await using b = await bench();
  const env = {
    TOKEN: "a b=c",
    "npm_config_@scope:registry": "x",
    "WITH-DASH": "1",
    PWD: "/elsewhere",
    ACUMEN_AGENT: "0",
    HOME: "/mine",
  };
  const found = (await factsOf(b, scripted(FACTS, { env }))).env;
  const { ACUMEN_COMMAND, ...rest } = found;
  expect(ACUMEN_COMMAND).toBeDefined();
  expect(rest).toEqual({ ...b.context.environment, ...env, ACUMEN_AGENT: "1" });
  const plain = (await factsOf(b, scripted(FACTS, { env: { TOKEN: "x" } }))).env;
  expect(
    Object.keys(plain)
      .filter((name) => name !== "ACUMEN_COMMAND" && name !== "PWD")
      .toSorted(),
  ).toEqual([...Object.keys(b.context.environment), "TOKEN"].toSorted());
});

test("it runs in the session's folder or its own, and a command with a slash is looked for there", async () => {
  await using b = await bench();
  const own = b.folder.join("own");
  await mkdir(own);
  await symlink(process.execPath, `${own}/server`);
  expect((await factsOf(b, scripted(FACTS))).cwd).toBe(b.context.cwd);
  const definition = { ...scripted(FACTS, { cwd: own }), command: "./server" };
  expect((await factsOf(b, definition)).cwd).toBe(own);
  const missing = await faultOf(b, { ...definition, cwd: b.context.cwd });
  expect(missing).toBe(
    `The command "./server", which is ${JSON.stringify(b.folder.join("server"))}, does not exist (ENOENT).`,
  );
});

test("a plain command is looked for in the PATH of the child", async () => {
  await using b = await bench();
  const bin = b.folder.join("bin");
  const name = `server-${createId()}`;
  await mkdir(bin);
  await symlink(process.execPath, `${bin}/${name}`);
  const definition = { ...scripted(FACTS), command: name };
  expect(await faultOf(b, definition)).toBe(
    `The command ${JSON.stringify(name)} is in no folder of its PATH (ENOENT).`,
  );
  const PATH = `/nowhere::bin:/usr/bin`;
  expect((await factsOf(b, { ...definition, env: { PATH } })).env["PATH"]).toBe(PATH);
});

test("what keeps a command from running is said: missing folder, missing file, no program, no permission", async () => {
  await using b = await bench();
  const file = b.folder.join("file");
  await writeFile(file, "text");
  const nowhere = b.folder.join("nowhere");
  const quoted = JSON.stringify;
  expect(await faultOf(b, stdio("sh", [], { cwd: nowhere }))).toBe(
    `The working directory ${quoted(nowhere)} does not exist (ENOENT).`,
  );
  expect(await faultOf(b, stdio("sh", [], { cwd: file }))).toBe(
    `The working directory ${quoted(file)} is not a folder (ENOTDIR).`,
  );
  expect(await faultOf(b, stdio(nowhere))).toBe(
    `The command ${quoted(nowhere)} does not exist (ENOENT).`,
  );
  expect(await faultOf(b, stdio(file))).toBe(
    `The command ${quoted(file)} is not executable (EACCES).`,
  );
  expect(await faultOf(b, stdio("file", [], { env: { PATH: b.context.cwd } }))).toBe(
    `The command "file" cannot be run: ${quoted(file)} is not executable (EACCES).`,
  );
  expect(await faultOf(b, stdio(b.context.cwd))).toBe(
    `The command ${quoted(b.context.cwd)} is a folder (EACCES).`,
  );
  const secret = "s3cret\0";
  const unusable = await faultOf(b, stdio("sh", [secret]));
  expect(unusable).toBe(
    `The command "sh" cannot be run: its arguments or variables hold a character that cannot be passed on.`,
  );
});

test("a program of another machine and a script without its interpreter are told from servers that end", async () => {
  await using b = await bench();
  const foreign = b.folder.join("foreign");
  await writeFile(foreign, Buffer.concat([Buffer.from("\x7fELF\x01\x02\x01"), Buffer.alloc(57)]));
  const script = b.folder.join("script");
  await writeFile(script, "#!/nowhere/interpreter -x\n");
  const failing = b.folder.join("failing");
  await writeFile(failing, "#!/bin/sh\nexit 127\n");
  for (const file of [foreign, script, failing]) await chmod(file, 0o755);
  const ends = await Promise.all(
    [foreign, script, failing].map(async (file) => {
      const opened = await b.open(stdio(file));
      await started(opened);
      return opened.ended;
    }),
  );
  expect(ends[0]).toMatchObject({ kind: "not_started" });
  expect(ends[0]?.error?.message).toBe(
    `${JSON.stringify(foreign)} is not a program of this machine (ENOEXEC).`,
  );
  expect(ends[1]).toMatchObject({ kind: "not_started" });
  expect(ends[1]?.error?.message).toBe(
    `The interpreter "/nowhere/interpreter" of ${JSON.stringify(script)} does not exist (ENOENT).`,
  );
  expect(ends[2]).toEqual({ kind: "exited", exitCode: 127, signal: null });
});

test("an abort before or while it starts leaves nothing, and starts nothing", async () => {
  await using b = await bench();
  const controller = new AbortController();
  const mark = b.folder.join("was-here");
  const definition = scripted(`require("fs").writeFileSync(process.argv[1], ""); listen();`, {
    words: [mark],
  });
  const opened = await b.open(definition, { signal: controller.signal });
  const starting = opened.transport.start();
  controller.abort();
  await expect(starting).rejects.toMatchObject({ code: "CORE_ABORTED" });
  expect(await opened.ended).toMatchObject({ kind: "closed" });
  await expect(opened.transport.send({ jsonrpc: "2.0", method: "x" })).rejects.toThrow(
    /not connected/,
  );
  await expect(b.open(definition, { signal: controller.signal })).rejects.toMatchObject({
    code: "CORE_ABORTED",
  });
});

test("an abort after the start changes nothing", async () => {
  await using b = await bench();
  const controller = new AbortController();
  const opened = await b.open(scripted(), { signal: controller.signal });
  const heard = await started(opened);
  controller.abort();
  await opened.transport.send({ jsonrpc: "2.0", id: 1, method: "tools/list" });
  await expect.poll(() => heard.messages).toHaveLength(1);
});

test("closing before or during the start is an end like any other, and nothing starts afterwards", async () => {
  await using b = await bench();
  const early = await b.open(scripted());
  await early.close();
  expect(await early.ended).toEqual({ kind: "closed", exitCode: null, signal: null });
  await expect(early.transport.start()).rejects.toThrow(/was closed/);
  const during = await b.open(scripted());
  const starting = during.transport.start();
  await during.close();
  await expect(starting).rejects.toThrow(/was closed while it started/);
  await Promise.all([during.close(), during.transport.close()]);
  const twice = await b.open(scripted());
  await twice.transport.start();
  await expect(twice.transport.start()).rejects.toThrow(/started already/);
});
