import { symlink, writeFile } from "node:fs/promises";
import { request } from "node:http";
import { get } from "node:https";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { selfSignedCertificate } from "@acumen/testkit";
import { expect, test } from "vitest";
import { dispatch, type RunningServer, serveBench } from "../support/serve-bench.ts";

const NOTE = {
  phases: {
    strategize: { steps: [{ text: "I write a note." }] },
    execute: {
      steps: [
        { toolCalls: [{ tool: "write_file", input: { path: "NOTE.md", content: "hello\n" } }] },
        { text: "Written." },
      ],
    },
  },
};
const README = { "README.md": "# Shop\n" };
const TASK = { action_name: "builtin/task", arguments: { prompt: "Write a note." } };

/** Sentences are wrapped, wherever the terminal ends. */
function oneLine(text: string): string {
  return text.replace(/\s+/g, " ");
}

/** Polls as a client of the server would. */
async function until(
  server: RunningServer,
  id: unknown,
  states: readonly string[],
): Promise<Readonly<Record<string, unknown>>> {
  for (;;) {
    const { data } = await dispatch(server, "plan.status", { plan_id: id });
    if (states.includes(`${String(data["phase"])}/${String(data["state"])}`)) return data;
    if (data["state"] === "errored") throw new Error(JSON.stringify(data["error"]));
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** As a proxy passes it on; `fetch` lets nobody choose the Host. */
function statusOf(url: string, host: string): Promise<number> {
  const { hostname, port } = new URL(url);
  const options = { hostname, port, path: "/acp/v1/describe", headers: { host }, agent: false };
  return new Promise((resolve, reject) => {
    request(options)
      .on("response", (response) => {
        response.resume();
        resolve(response.statusCode ?? 0);
      })
      .on("error", reject)
      .end();
  });
}

test("--allow-host lets a proxy pass its name on; without it that is refused", async () => {
  await using bench = await serveBench(NOTE);
  const project = await bench.project("shop", README);
  const args = ["--ephemeral", "--project", project];
  const server = await bench.serve([...args, "--allow-host", "acumen.example.org", "ui.local"]);
  // 401: past the check of names, without a token.
  expect(await statusOf(server.url, "acumen.example.org")).toBe(401);
  expect(await statusOf(server.url, "UI.local:8443")).toBe(401);
  expect(await statusOf(server.url, "evil.example")).toBe(403);
  await server.stop();
  const closed = await bench.serve(args);
  expect(await statusOf(closed.url, "acumen.example.org")).toBe(403);
  const wrong = await bench.acumen(["serve", "--ephemeral", "--allow-host", "https://x.example"]);
  expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining("without scheme")]);
});

test("--tls-cert and --tls-key serve over TLS; files that do not fit are said", async () => {
  await using bench = await serveBench(NOTE);
  const project = await bench.project("shop", README);
  const { cert, key } = selfSignedCertificate();
  const files = { cert: bench.folder.join("cert.pem"), key: bench.folder.join("key.pem") };
  await writeFile(files.cert, cert);
  await writeFile(files.key, key);
  const args = ["--ephemeral", "--project", project, "--tls-cert", files.cert, "--tls-key"];
  const server = await bench.serve([...args, files.key]);
  expect(server.url).toMatch(/^https:\/\/127\.0\.0\.1:/);
  const status = await new Promise((resolve, reject) => {
    get(`${server.url}/livez`, { ca: cert, agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode);
    }).on("error", reject);
  });
  expect(status).toBe(200);
  for (const wrong of [files.cert, bench.folder.join("none.pem")]) {
    const { code, stderr } = await bench.acumen(["serve", "--port", "0", ...args, wrong]);
    expect([code, stderr]).toEqual([2, expect.stringContaining("TLS")]);
  }
});

test("commands of plans have the network with --allow-network, and else none", async (context) => {
  const listener = createServer((socket) => socket.end());
  await new Promise<void>((resolve) => void listener.listen(0, "127.0.0.1", resolve));
  const { port } = listener.address() as AddressInfo;
  const command = `if (exec 3<>/dev/tcp/127.0.0.1/${port}) 2>/dev/null; then echo open; else echo closed; fi > NET.txt`;
  await using bench = await serveBench({
    phases: {
      strategize: { steps: [{ text: "I look." }] },
      execute: {
        steps: [{ toolCalls: [{ tool: "bash", input: { command } }] }, { text: "Done." }],
      },
    },
  });
  const project = await bench.project("shop", README);
  const patchWith = async (...flags: readonly string[]): Promise<unknown> => {
    await using server = await bench.serve(["--ephemeral", "--project", project, ...flags]);
    expect(server.stderr().includes("have the network")).toBe(flags.length > 0);
    if (server.stderr().includes("isolation none")) context.skip("bubblewrap does not work here");
    const made = await dispatch(server, "plan.create", { ...TASK, profile: "auto" });
    const { plan_id: id } = made.data;
    await until(server, id, ["execute/complete", "execute/errored"]);
    return (await dispatch(server, "plan.diff", { plan_id: id })).data["patch"];
  };
  try {
    expect(await patchWith()).toContain("+closed");
    expect(await patchWith("--allow-network")).toContain("+open");
  } finally {
    listener.close();
  }
});

const ACTION = {
  ".acumen/actions/note.md":
    "---\nname: team/note\ndescription: Writes a note.\nvalidations:\n  - name: there\n    run: test -f NOTE.md\n---\nWrite a note.\n",
};

test("trust that is taken back while it serves stops the plans that need it, and no others", async () => {
  await using bench = await serveBench(NOTE);
  const shop = await bench.project("shop", { ...README, ...ACTION });
  const site = await bench.project("site", README);
  expect((await bench.acumen(["trust", shop])).code).toBe(0);
  const server = await bench.serve(["--ephemeral", "--project", shop, site]);
  const create = (project: string, action_name: string) =>
    dispatch(server, "plan.create", {
      project,
      action_name,
      ...(action_name === TASK.action_name && TASK),
    });
  const begun = await create(shop, "team/note");
  const { plan_id: id } = begun.data;
  await until(server, id, ["strategize/complete"]);
  expect((await bench.acumen(["trust", shop, "--revoke"])).code).toBe(0);

  const refused = await create(shop, "team/note");
  expect(refused.error).toMatchObject({ message: expect.stringContaining("is not trusted") });
  await dispatch(server, "plan.execute", { plan_id: id });
  const stopped = await until(server, id, ["execute/errored", "execute/complete"]);
  expect(stopped["error"]).toMatchObject({ message: expect.stringContaining("acumen trust") });
  const variables = { ACUMEN_URL: server.url, ACUMEN_TOKEN: server.token };
  const shown = await bench.acumen(["plan", "status", String(id as string)], variables);
  expect(oneLine(shown.stdout)).toContain("is not trusted any more");

  const other = await create(site, "builtin/task");
  await dispatch(server, "plan.execute", { plan_id: other.data["plan_id"] });
  await until(server, other.data["plan_id"], ["execute/complete"]);

  expect((await bench.acumen(["trust", shop])).code).toBe(0);
  await dispatch(server, "plan.retry", { plan_id: id });
  await until(server, id, ["execute/complete"]);
  const applied = await dispatch(server, "plan.apply", { plan_id: id });
  expect(applied.data).toMatchObject({ state: "applied" });
});

test("with --trust-once a project that cannot be trusted any more holds up no other", async () => {
  await using bench = await serveBench(NOTE);
  const shop = await bench.project("shop", { ...README, ...ACTION });
  const site = await bench.project("site", README);
  const args = ["--ephemeral", "--trust-once", "--project", shop, site];
  const server = await bench.serve(args);
  const trusted = async (): Promise<unknown> => {
    const { data } = await dispatch(server, "registry.list_resources", {
      type_name: "git-checkout",
    });
    return JSON.stringify(data["resources"]).match(/"trusted":\w+/g);
  };
  expect(await trusted()).toEqual(['"trusted":true', '"trusted":true']);
  await symlink("/etc", join(shop, ".acumen", "elsewhere"));
  expect(await trusted()).toEqual(['"trusted":false', '"trusted":true']);
  expect(server.stderr()).not.toContain("INTERNAL");
  await server.stop();
  const { code, stderr } = await bench.acumen(["serve", "--port", "0", ...args]);
  expect([code, stderr]).toEqual([2, expect.stringContaining("AGENT_WORKSPACE_UNTRUSTABLE")]);
});

test("a token without events:read watches by the state, and says so once", async () => {
  await using bench = await serveBench(NOTE);
  const project = await bench.project("shop", README);
  const server = await bench.serve(["--project", project]);
  const token = await bench.acumen(["token", "create", "--scope", "plan:read,plan:write"]);
  const [own = ""] = token.stdout.split("\n");
  const variables = { ACUMEN_URL: server.url, ACUMEN_TOKEN: own };
  const made = await bench.acumen(["plan", "create", "Write a note.", "--wait"], variables);
  expect([made.code, made.stderr]).toEqual([0, ""]);
  expect(oneLine(made.stdout).match(/events are not shown[^;]*?events:read/g)).toHaveLength(1);
  expect(made.stdout).toContain("strategize complete");
  const [, id = ""] = /plan (\w+)/.exec(made.stdout) ?? [];
  const none = await bench.acumen(["token", "create", "--scope", "events:read"]);
  const blind = { ACUMEN_URL: server.url, ACUMEN_TOKEN: none.stdout.split("\n")[0] ?? "" };
  const refused = await bench.acumen(["plan", "watch", id], blind);
  expect([refused.code, refused.stderr]).toEqual([3, expect.stringContaining("plan:read")]);
});
