import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { startProcess, type TempFolder, tempFolder, type TestProcess } from "@acumen/testkit";
import { describe, expect, test } from "vitest";
import { acumenCommand } from "./support/agent-cli.ts";

const SCRIPT = {
  phases: {
    strategize: { steps: [{ text: "I write a note." }] },
    execute: {
      steps: [
        {
          toolCalls: [{ tool: "write_file", input: { path: "NOTE.md", content: "hello\n" } }],
        },
        { text: "Written." },
      ],
    },
  },
};

interface Place extends AsyncDisposable {
  readonly folder: TempFolder;
  readonly project: string;
  git(...args: readonly string[]): string;
  /** Runs to its end. */
  acumen(
    args: readonly string[],
    env?: Readonly<Record<string, string>>,
  ): Promise<{ code: number | null; stdout: string; stderr: string }>;
  serve(args?: readonly string[]): Promise<Server>;
}

interface Server {
  readonly process: TestProcess;
  readonly url: string;
  /** Undefined: it printed none. */
  readonly token: string | undefined;
}

async function place(): Promise<Place> {
  const folder = await tempFolder("acumen-serve");
  const project = folder.join("shop");
  const git = (...args: readonly string[]): string =>
    execFileSync("git", ["-c", "user.name=Test", "-c", "user.email=test@example.com", ...args], {
      cwd: project,
      encoding: "utf8",
    });
  execFileSync("git", ["init", "-q", "-b", "main", project]);
  await writeFile(join(project, "README.md"), "# Shop\n");
  git("add", "-A");
  git("commit", "-q", "-m", "First");
  const script = folder.join("plan.json");
  await writeFile(script, JSON.stringify(SCRIPT));
  const base = { ACUMEN_HOME: folder.join("home") };
  return {
    folder,
    project,
    git,
    acumen: async (args, env = {}) => {
      await using child = startProcess(acumenCommand(args), {
        cwd: project,
        env: { ...base, ...env },
      });
      child.child.stdin.end();
      const { code } = await child.exited;
      return { code, stdout: child.stdout(), stderr: child.stderr() };
    },
    serve: async (args = []) => {
      const process = startProcess(
        acumenCommand(["serve", "--port", "0", "--model", `scripted/${script}`, ...args]),
        { cwd: project, env: base },
      );
      await process.waitFor("stderr", /serving 1 project at \S+\n/);
      const [, url = ""] = /serving 1 project at (\S+)/.exec(process.stderr()) ?? [];
      // What it says comes in one piece; whoever answers has said it.
      await fetch(`${url}/livez`);
      const [, token] = /ACUMEN_TOKEN=(acm_\w+)/.exec(process.stderr()) ?? [];
      return { process, url, token };
    },
    [Symbol.asyncDispose]: () => folder.remove(),
  };
}

type Answer = {
  readonly status: string;
  readonly data: Readonly<Record<string, unknown>>;
  readonly error: { readonly code: string } | null;
};

async function send(
  { url }: Pick<Server, "url">,
  token: string,
  operation: string,
  params: object = {},
): Promise<Answer> {
  const response = await fetch(`${url}/acp/v1/dispatch`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}` },
    body: JSON.stringify({ operation, params }),
  });
  return (await response.json()) as Answer;
}

const TASK = { action_name: "builtin/task", arguments: { prompt: "Write a note." } };

describe("acumen serve", () => {
  test("a plan made before kill -9 is there afterwards, goes on, and reaches the repository", async () => {
    await using shop = await place();
    const first = await shop.serve();
    const token = first.token ?? "";
    expect(token).not.toBe("");
    const made = await send(first, token, "plan.create", TASK);
    expect(made.status).toBe("ok");
    first.process.kill("SIGKILL");
    await first.process.exited;
    const second = await shop.serve();
    expect(second.token).toBeUndefined();
    const { plan_id: id } = made.data;
    const executed = await send(second, token, "plan.execute", { plan_id: id, wait: true });
    expect(executed.data).toMatchObject({ phase: "execute", state: "complete" });
    const applied = await send(second, token, "plan.apply", { plan_id: id });
    expect(applied.data).toMatchObject({ phase: "apply", state: "applied" });
    expect(readFileSync(join(shop.project, "NOTE.md"), "utf8")).toBe("hello\n");
    expect(shop.git("status", "--porcelain")).toBe("");
    second.process.kill("SIGTERM");
    expect(await second.process.exited).toMatchObject({ code: 143 });
    expect(second.process.stdout()).toBe("");
  });

  test("a second server of one database is refused with the pid of the first; tokens can be made beside it", async () => {
    await using shop = await place();
    const server = await shop.serve();
    const { code, stderr } = await shop.acumen(["serve", "--port", "0"]);
    expect([code, stderr]).toEqual([2, expect.stringContaining(String(server.process.pid))]);
    const made = await shop.acumen(["token", "create", "--scope", "plan:read", "--json"]);
    const { token } = JSON.parse(made.stdout) as { token: string };
    expect((await send(server, token, "plan.list")).status).toBe("ok");
    expect((await send(server, token, "plan.create", TASK)).error?.code).toBe("FORBIDDEN");
    expect((await send(server, "acm_x", "plan.list")).error?.code).toBe("AUTH_ERROR");
    server.process.kill("SIGINT");
    expect(await server.process.exited).toMatchObject({ code: 130 });
  });

  test("the commands of plans go through it, from a prompt to the merge", async () => {
    await using shop = await place();
    const server = await shop.serve(["--ephemeral"]);
    const env = { ACUMEN_URL: server.url, ACUMEN_TOKEN: server.token ?? "" };
    const plan = (...args: readonly string[]) => shop.acumen(["plan", ...args], env);
    const created = await plan("create", "Write a note.", "--wait");
    expect([created.code, created.stdout]).toEqual([
      0,
      expect.stringContaining("strategize complete"),
    ]);
    const [, id = ""] = /acumen plan execute (\w+)/.exec(created.stdout) ?? [];
    const executed = await plan("execute", id, "--wait");
    expect(executed.stdout).toContain("execute complete");
    expect((await plan("diff", id)).stdout).toContain("+hello");
    const stale = await plan("apply", id, "--digest", "0".repeat(64));
    expect([stale.code, stale.stderr]).toEqual([3, expect.stringContaining("FACADE_CONFLICT")]);
    const applied = await plan("apply", id);
    expect([applied.code, applied.stdout]).toEqual([0, expect.stringContaining("apply applied")]);
    expect(shop.git("log", "--format=%s", "-1")).toContain("builtin/task");
    const listed = await plan("list", "--json");
    expect(JSON.parse(listed.stdout)).toMatchObject({ plans: [{ plan_id: id, state: "applied" }] });
    server.process.kill("SIGTERM");
    await server.process.exited;
  });

  test("plans of this process need no server and no token", async () => {
    await using shop = await place();
    const local = ["--local", "--model", `scripted/${shop.folder.join("plan.json")}`];
    const created = await shop.acumen(["plan", "create", "Write a note.", "--wait", ...local]);
    expect([created.code, created.stdout]).toEqual([
      0,
      expect.stringContaining("strategize complete"),
    ]);
    const [, id = ""] = /acumen plan execute (\w+)/.exec(created.stdout) ?? [];
    const executed = await shop.acumen(["plan", "execute", id, "--wait", ...local]);
    expect([executed.code, executed.stdout]).toEqual([
      0,
      expect.stringContaining("execute complete"),
    ]);
    expect((await shop.acumen(["plan", "apply", id, ...local])).code).toBe(0);
    expect(readFileSync(join(shop.project, "NOTE.md"), "utf8")).toBe("hello\n");
  });

  test("without a token, a certificate's key or a free address it says what to do", async () => {
    await using shop = await place();
    const noToken = await shop.acumen(["plan", "list"]);
    expect([noToken.code, noToken.stderr]).toEqual([2, expect.stringContaining("ACUMEN_TOKEN")]);
    const nobody = { ACUMEN_TOKEN: `acm_${"0".repeat(40)}`, ACUMEN_URL: "http://127.0.0.1:9" };
    const away = await shop.acumen(["plan", "list"], nobody);
    expect([away.code, away.stderr]).toEqual([1, expect.stringContaining("FACADE_NOT_AVAILABLE")]);
    const bind = await shop.acumen(["serve", "--port", "0", "--host", "0.0.0.0"]);
    expect([bind.code, bind.stderr]).toEqual([2, expect.stringContaining("--insecure-bind")]);
    const tls = await shop.acumen(["serve", "--port", "0", "--tls-cert", "x.pem"]);
    expect([tls.code, tls.stderr]).toEqual([2, expect.stringContaining("--tls-key")]);
  });
});
