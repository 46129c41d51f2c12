import { mkdir, writeFile } from "node:fs/promises";
import { expect, test, vi } from "vitest";
import { lastRecord } from "../support/run-main.ts";
import {
  dispatch,
  type RunningServer,
  type ServeBench,
  serveBench,
} from "../support/serve-bench.ts";

const README = { "README.md": "# Shop\n" };
const WORK = {
  phases: {
    strategize: { steps: [{ text: "I make files." }] },
    execute: {
      steps: [
        { toolCalls: [{ tool: "bash", input: { command: "touch one" } }] },
        { toolCalls: [{ tool: "bash", input: { command: "touch two" } }] },
        { text: "Made." },
      ],
    },
  },
};

async function statusWith(url: string, token: string): Promise<number> {
  const headers = { authorization: `Bearer ${token}` };
  return (await fetch(`${url}/acp/v1/describe`, { headers })).status;
}

async function madeToken(bench: ServeBench, ...args: readonly string[]) {
  const made = await bench.acumen(["token", "create", ...args, "--json"]);
  expect([made.code, made.stderr]).toEqual([0, ""]);
  return lastRecord(made) as { token: string; token_id: string; owner: string; expires_at: string };
}

test("the first start prints a token with all scopes also where lesser ones were made before, and once", async () => {
  await using bench = await serveBench(WORK);
  const project = await bench.project("shop", README);
  await madeToken(bench, "--scope", "plan:read");
  const first = await bench.serve(["--project", project]);
  expect((await dispatch(first, "plan.create", task("manual"))).error).toBeNull();
  await first.stop();
  const all = lastRecord(await bench.acumen(["token", "list", "--json"]))["tokens"];
  expect(all).toHaveLength(2);
  // Those of the local owner end with it, also what was made by hand.
  const lesser = await madeToken(bench, "--scope", "plan:read");
  const other = await madeToken(bench, "--scope", "plan:read", "--owner", "ci");
  const second = await bench.serve(["--project", project, "--rotate-token"]);
  expect(second.token).not.toBe(first.token);
  expect(await statusWith(second.url, second.token)).toBe(200);
  expect(await statusWith(second.url, first.token)).toBe(401);
  expect(await statusWith(second.url, lesser.token)).toBe(401);
  expect(await statusWith(second.url, other.token)).toBe(200);
});

test("a token of another owner sees that owner's plans, ends when it says, and at once when it is revoked", async () => {
  await using bench = await serveBench(WORK);
  const project = await bench.project("shop", README);
  const server = await bench.serve(["--project", project]);
  const { token, ...record } = await madeToken(
    bench,
    "--scope",
    "all",
    "--owner",
    "ci",
    "--expires",
    "2d",
  );
  expect(record.owner).toBe("ci");
  const days = (Date.parse(record.expires_at) - Date.now()) / 86_400_000;
  expect(days).toBeGreaterThan(1.9);
  expect(days).toBeLessThanOrEqual(2);
  await dispatch(server, "plan.create", task("manual"));
  const seen = async (as: Pick<RunningServer, "url" | "token">): Promise<unknown> =>
    (await dispatch(as, "plan.list")).data["plans"];
  expect(await seen(server)).toHaveLength(1);
  expect(await seen({ url: server.url, token })).toHaveLength(0);
  const revoked = await bench.acumen(["token", "revoke", record.token_id]);
  expect([revoked.code, revoked.stdout]).toEqual([0, `Token ${record.token_id} is revoked.\n`]);
  expect(await statusWith(server.url, token)).toBe(401);
  expect(await statusWith(server.url, server.token)).toBe(200);
});

test("--allow-origin lets the pages that it names in, and no others", async () => {
  await using bench = await serveBench(WORK);
  const project = await bench.project("shop", README);
  const args = ["--ephemeral", "--project", project, "--allow-origin", "https://ui.example.org"];
  const { url, token } = await bench.serve(args);
  const asked = async (origin: string) => {
    const headers = { authorization: `Bearer ${token}`, origin };
    const answer = await fetch(`${url}/acp/v1/describe`, { headers });
    return [answer.status, answer.headers.get("access-control-allow-origin")];
  };
  expect(await asked("https://ui.example.org")).toEqual([200, "https://ui.example.org"]);
  expect(await asked("https://evil.example")).toEqual([403, null]);
});

test("--allow-model says which models requests may name; without it every one that is no file", async () => {
  await using bench = await serveBench(WORK);
  const project = await bench.project("shop", README);
  const named = (model: string) => ({ ...task("manual"), execution_model: model });
  const codes = async (...flags: readonly string[]): Promise<unknown> => {
    await using server = await bench.serve(["--ephemeral", "--project", project, ...flags]);
    const codeOf = async (model: string) =>
      (await dispatch(server, "plan.create", named(model))).error?.code ?? "ok";
    return [
      await codeOf("openai/gpt-4.1"),
      await codeOf("anthropic/claude-sonnet-4-5"),
      await codeOf("scripted/other.json"),
    ];
  };
  expect(await codes("--allow-model", "openai/*")).toEqual(["ok", "FORBIDDEN", "FORBIDDEN"]);
  expect(await codes()).toEqual(["ok", "ok", "FORBIDDEN"]);
});

test("plan approve --reject says no to one call alone, and plan revert --reason says why", async () => {
  await using bench = await serveBench(WORK);
  const project = await bench.project("shop", README);
  await mkdir(bench.folder.join("home"));
  const settings = JSON.stringify({ permissions: { ask: ["bash(*)"] } });
  await writeFile(bench.folder.join("home/config.json"), settings);
  const server = await bench.serve(["--ephemeral", "--project", project]);
  const variables = { ACUMEN_URL: server.url, ACUMEN_TOKEN: server.token };
  const plan = (...args: readonly string[]) => bench.acumen(["plan", ...args], variables);
  const made = lastRecord(await plan("create", "Make files.", "--wait", "--json"));
  const id = String(made["plan_id"] as string);
  const asked = async (known: string | undefined): Promise<string> =>
    vi.waitFor(async () => {
      const { data } = await dispatch(server, "approval.list", { plan_id: id });
      const [first] = data["approvals"] as readonly { readonly call_id: string }[];
      if (first === undefined || first.call_id === known) throw new Error("Nothing is asked.");
      return first.call_id;
    }, 20_000);
  await dispatch(server, "plan.execute", { plan_id: id });
  const first = await asked(undefined);
  expect((await plan("approve", id, first, "--reject")).code).toBe(0);
  expect((await plan("approve", id, await asked(first))).code).toBe(0);
  await vi.waitFor(async () => {
    const { data } = await dispatch(server, "plan.status", { plan_id: id });
    expect([data["error"], data["state"]]).toEqual([null, "complete"]);
  }, 20_000);
  const { changes } = (await dispatch(server, "plan.diff", { plan_id: id })).data;
  expect(changes).toEqual([expect.objectContaining({ path: "two" })]);
  expect((await plan("revert", id, "--reason", "One is missing.")).code).toBe(0);
  const { data } = await dispatch(server, "event.list", { plan_id: id });
  expect(JSON.stringify(data)).toContain("One is missing.");
});

function task(profile: string) {
  return { action_name: "builtin/task", arguments: { prompt: "Make files." }, profile };
}
