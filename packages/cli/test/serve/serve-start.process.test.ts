import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { cliError } from "../../src/errors.ts";
import { dispatch, NO_MODEL, serveBench } from "../support/serve-bench.ts";

const NOTHING = { steps: [] };
const README = { "README.md": "# Shop\n" };

test("without a model, or with one that cannot be asked, the start says that plans will fail, and why", async () => {
  await using bench = await serveBench(NOTHING);
  const project = await bench.project("shop", README);
  const args = ["--ephemeral", "--project", project];
  const none = await bench.serve([...args, NO_MODEL]);
  expect(none.stderr()).toMatch(/will fail: no model is set\. .*`acumen setup`.*--model/);
  const made = await dispatch(none, "plan.create", {
    action_name: "builtin/task",
    arguments: { prompt: "x" },
  });
  const id = String(made.data["plan_id"] as string);
  const variables = { ACUMEN_URL: none.url, ACUMEN_TOKEN: none.token };
  const { code, stdout } = await bench.acumen(["plan", "watch", id], variables);
  expect([code, stdout.replace(/\s+/g, " ")]).toEqual([
    1,
    expect.stringMatching(/`acumen setup`.*`acumen serve --model ID`/),
  ]);
  await none.stop();
  const keyless = await bench.serve([...args, "--model", "openai/gpt-5-mini"]);
  expect(keyless.stderr()).toMatch(/will fail: .*OPENAI_API_KEY.*`acumen setup`/);
  await keyless.stop();
  const scripted = await bench.serve(args);
  expect(scripted.stderr()).not.toContain("will fail");
});

test("the quick start of the documentation works without a key", async () => {
  const docs = fileURLToPath(new URL("../../../../docs/facade.md", import.meta.url));
  const page = await readFile(docs, "utf8");
  const [, script = ""] = /<<'END'\n(.*?)\nEND\n/s.exec(page) ?? [];
  await using bench = await serveBench(JSON.parse(script) as object);
  const project = await bench.project("shop", README);
  const server = await bench.serve(["--ephemeral", "--project", project]);
  const variables = { ACUMEN_URL: server.url, ACUMEN_TOKEN: server.token };
  const made = await bench.acumen(
    ["plan", "create", "x", "--profile", "auto", "--wait"],
    variables,
  );
  const [, id = ""] = /^plan (\w+) in local\/shop /.exec(made.stdout) ?? [];
  const diff = await bench.acumen(["plan", "diff", id], variables);
  expect(diff.stdout).toContain("add    NOTE.md");
});

test("a script that is not there, or is none, ends the start with 2", async () => {
  await using bench = await serveBench({ steps: "none" });
  const project = await bench.project("shop", README);
  for (const file of ["nothere.json", "script.json"]) {
    const model = `scripted/${bench.folder.join(file)}`;
    const args = ["--port", "0", "--ephemeral", "--project", project, "--model", model];
    const { code, stderr } = await bench.acumen(["serve", ...args]);
    expect([code, stderr]).toEqual([2, expect.stringContaining("MODEL_SCRIPT_INVALID")]);
    expect(stderr).toContain(file);
  }
});

test("neither the file system nor the home folder, or what holds it, is a project", async () => {
  await using bench = await serveBench(NOTHING);
  const home = await bench.project("person", README);
  const variables = { HOME: home };
  for (const folder of ["/", home, bench.folder.path, `${home}/..`]) {
    for (const line of [
      ["serve", "--port", "0", "--ephemeral"],
      ["plan", "create", "x", "--local"],
    ]) {
      const { code, stderr } = await bench.acumen([...line, "--project", folder], variables);
      expect([folder, code, stderr]).toEqual([folder, 2, expect.stringContaining("no project")]);
    }
  }
  const beside = await bench.project("person-2", README);
  const server = await bench.serve(["--ephemeral", "--project", beside]);
  expect(server.stderr()).toContain("local/person-2");
});

test("a signal is the usual end of a server: it says so, with the exit code of the signal", async () => {
  await using bench = await serveBench(NOTHING);
  const project = await bench.project("shop", README);
  for (const [signal, expected] of [
    ["SIGINT", 130],
    ["SIGTERM", 143],
  ] as const) {
    const server = await bench.serve(["--ephemeral", "--project", project]);
    const ended = cliError("CLI_INTERRUPTED", "Ended.", { details: { signal } });
    const { code, stderr, stdout } = await server.stop(ended);
    expect([code, stdout]).toEqual([expected, ""]);
    expect(stderr).toMatch(new RegExp(`\nacumen: stopped \\(${signal}\\)\n$`));
    expect(stderr).not.toContain("INTERRUPTED");
  }
});
