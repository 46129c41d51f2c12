// An orchestrator over HTTP: starts `acumen serve` on a small git project, makes a plan, follows its events, reviews the diff, applies it.
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { AcpHttpTransport, AcpOperationNotFoundError, type JsonObject } from "@acumen/facade";

const folder = await mkdtemp(join(tmpdir(), "acumen-example-"));
const project = join(folder, "shop");
await mkdir(project);
await writeFile(join(project, "README.md"), "# Shop\n");
git("init", "-q");
git("add", "README.md");
git("commit", "-q", "-m", "First");

// The model is played from plan.json: no key, no network. Leave --model out for the one of your settings.
const bin = fileURLToPath(new URL("../../packages/cli/bin/acumen.js", import.meta.url));
const script = fileURLToPath(new URL("plan.json", import.meta.url));
const server = spawn(
  process.execPath,
  [
    bin,
    "serve",
    "--ephemeral",
    "--port",
    "0",
    "--project",
    project,
    "--model",
    `scripted/${script}`,
  ],
  {
    env: { PATH: process.env["PATH"], ACUMEN_HOME: join(folder, "home") },
    stdio: ["ignore", "inherit", "pipe"],
  },
);
const exited = once(server, "exit");

try {
  const { url, token } = await greeting();
  const transport = new AcpHttpTransport({ token });
  await transport.connect(url);

  /** One operation; an answer that is an error ends the example. */
  const ask = async (operation: string, params: JsonObject = {}): Promise<JsonObject> => {
    const { data, error } = await transport.send({ operation, params });
    assert.equal(error, null, `${operation}: ${error?.code} ${error?.message}`);
    return data;
  };

  const { session_id } = await ask("session.create", { title: "Opening hours" });
  const { plan_id } = await ask("plan.create", {
    action_name: "builtin/task",
    arguments: { prompt: "Add the opening hours to the readme." },
    session_id: session_id ?? null,
  });
  assert(typeof plan_id === "string");

  // The stream goes on over lost connections, and ends when the plan can change no more.
  const types: string[] = [];
  const followed = (async () => {
    for await (const { seq, event_type, data } of transport.events({ plan_id, after: 0 })) {
      types.push(event_type);
      console.log(seq, event_type, data["state"] ?? "");
    }
  })();

  // `wait` answers when the phase is over. Nothing has changed in the project until the plan is applied.
  const executed = await ask("plan.execute", { plan_id, wait: true });
  assert.deepEqual([executed["phase"], executed["state"]], ["execute", "complete"]);
  assert.equal(await readFile(join(project, "README.md"), "utf8"), "# Shop\n");

  const diff = await ask("plan.diff", { plan_id });
  const { patch, changeset_digest } = diff;
  assert(typeof patch === "string" && typeof changeset_digest === "string");
  console.log(patch);
  assert.match(patch, /\+Open from 9 to 18\./);

  // The digest says: apply what was reviewed, or nothing.
  const wrong = await transport.send({
    operation: "plan.apply",
    params: { plan_id, expected_digest: "0".repeat(64) },
  });
  assert.equal(wrong.error?.code, "CONFLICT");
  const applied = await ask("plan.apply", {
    plan_id,
    expected_digest: changeset_digest,
  });
  assert.equal(applied["state"], "applied");
  assert.equal(
    await readFile(join(project, "README.md"), "utf8"),
    "# Shop\n\nOpen from 9 to 18.\n",
  );
  assert.equal(git("status", "--porcelain"), "");
  await followed;
  assert.equal(types[0], "plan.created");
  assert(types.includes("plan.applied"));

  // What the protocol itself refuses is raised, as it is in process.
  await assert.rejects(transport.send({ operation: "plan.fly" }), AcpOperationNotFoundError);
  await ask("session.close", { session_id: session_id ?? null });
  await transport.disconnect();
} finally {
  server.kill("SIGTERM");
  await exited;
  await rm(folder, { recursive: true, force: true });
}
console.log("ok");

/** What the server says on stderr when it listens: its address, and once the first token. */
async function greeting(): Promise<{ readonly url: string; readonly token: string }> {
  let url: string | undefined;
  for await (const line of createInterface({ input: server.stderr })) {
    url ??= /serving \d+ projects? at (\S+)/.exec(line)?.[1];
    const [, token] = /ACUMEN_TOKEN=(\S+)/.exec(line) ?? [];
    if (url === undefined || token === undefined) continue;
    server.stderr.resume();
    return { url, token };
  }
  throw new Error("acumen serve ended before it listened");
}

function git(...args: readonly string[]): string {
  const person = ["-c", "user.name=Example", "-c", "user.email=example@localhost"];
  return execFileSync("git", [...person, ...args], { cwd: project, encoding: "utf8" });
}
