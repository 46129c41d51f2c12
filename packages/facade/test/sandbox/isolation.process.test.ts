import { createId } from "@acumen/core";
import { execFile } from "node:child_process";
import { access, mkdtemp, readdir, readFile, realpath, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { delimiter, join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import type { ApplyOptions, ApplyResult, Sandbox } from "../../src/sandbox/sandboxes.ts";
import type { ValidationSpec } from "../../src/sandbox/validation.ts";
import {
  applyOptions,
  attempt,
  fingerprint,
  git,
  put,
  type SandboxBench,
  sandboxBench,
} from "./support.ts";

const PATH = process.env["PATH"] ?? "";

/** Whether this machine has bubblewrap at all; the build installs it where these tests run. */
const hasBubblewrap = await Promise.any(
  PATH.split(delimiter).map((folder) => access(join(folder, "bwrap"))),
).then(
  () => true,
  () => false,
);

interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

function runIn(sandbox: Sandbox, script: string, network = false): Promise<Ran> {
  const command = { file: "/bin/sh", args: ["-c", script], cwd: sandbox.path, network };
  const { file, args } = sandbox.wrap(command);
  const options = { cwd: sandbox.path, env: { PATH, HOME: "/nowhere" } };
  return new Promise((resolve) => {
    execFile(file, [...args], options, (error, stdout, stderr) => {
      resolve({
        code: typeof error?.code === "number" ? error.code : error === null ? 0 : -1,
        stdout,
        stderr,
      });
    });
  });
}

const passes: ValidationSpec = { name: "passes", run: "true", timeout_seconds: 60, network: false };

async function applied(
  bench: SandboxBench,
  validations: readonly Partial<ValidationSpec>[],
  more: Partial<ApplyOptions> = {},
): Promise<ApplyResult> {
  const done = await attempt(bench, (path) => put(path, { "new.txt": "new\n" }));
  const specs = validations.map((spec) => ({ ...passes, ...spec }));
  return bench.sandboxes.apply(await applyOptions(bench, done, { validations: specs, ...more }));
}

const withBubblewrap = `with bubblewrap${hasBubblewrap ? "" : " (not run: it is not installed)"}`;

describe.skipIf(!hasBubblewrap)(withBubblewrap, () => {
  test("commands write the clone and their tmp alone; the user's folders are hidden; git works", async () => {
    await using bench = await sandboxBench({ isolation: "auto" });
    const { sandboxes, root, home, folder } = bench;
    await put(folder.join("user"), { "secret.txt": "secret" });
    await put(home, { "tokens.json": "secret" });
    expect(await sandboxes.check()).toEqual({ isolation: "bubblewrap" });
    const done = await attempt(bench, () => Promise.resolve());
    const { sandbox } = done;
    expect(sandbox.isolation).toBe("bubblewrap");
    const before = await fingerprint(root);
    const hidden = await runIn(
      sandbox,
      `cat ${root}/a.txt ${root}/.git/config ${home}/tokens.json ${folder.join("user")}/secret.txt; ls -A ${root} ${folder.join("user")}`,
    );
    expect(hidden.stdout).not.toContain("secret");
    expect(hidden.stdout).not.toContain("one");
    const writes = await runIn(
      sandbox,
      `for f in ${root}/x ${home}/x ${home}/sandboxes/x ${folder.join("user")}/x /etc/x /usr/x /x ${sandbox.path}/../x ${sandbox.path}/../../repository/x; do touch $f 2>/dev/null && echo "wrote $f"; done; touch inside /tmp/own && echo fine`,
    );
    expect(writes.stdout).toBe("fine\n");
    expect(await readFile(join(sandbox.path, "inside"), "utf8")).toBe("");
    expect((await runIn(sandbox, "ls /tmp/own")).code).toBe(0);
    const objects = await runIn(
      sandbox,
      `f=$(find ${root}/.git/objects -type f | head -1); [ -n "$f" ] && { echo x > "$f" || rm -f "$f"; }; ls ${root}/.git`,
    );
    expect(objects.stdout).toBe("objects\n");
    const log = await runIn(
      sandbox,
      "git add -A && git commit -qm own && git log --format=%s && git status --porcelain",
    );
    expect(log).toMatchObject({ code: 0, stdout: "own\nfirst\n" });
    expect(await fingerprint(root)).toEqual(before);
  });

  test("processes of the machine and the network are out of reach, unless the network is asked for", async () => {
    await using bench = await sandboxBench({ isolation: "auto" });
    const { sandbox } = await attempt(bench, () => Promise.resolve());
    const server = createServer((_request, response) => response.end("reached")).listen(
      0,
      "127.0.0.1",
    );
    try {
      await new Promise((resolve) => server.once("listening", resolve));
      const { port } = server.address() as AddressInfo;
      const script = `exec 3<>/dev/tcp/127.0.0.1/${port}; printf 'GET / HTTP/1.0\\r\\n\\r\\n' >&3; cat <&3`;
      const call = `bash -c '${script.replaceAll("'", String.raw`'\''`)}'`;
      expect((await runIn(sandbox, call)).stdout).not.toContain("reached");
      expect((await runIn(sandbox, call, true)).stdout).toContain("reached");
    } finally {
      server.close();
    }
    expect(
      (await runIn(sandbox, `kill -0 ${process.pid} 2>&1; echo $?; ls /proc | grep -c '^[0-9]*$'`))
        .stdout,
    ).toMatch(/\n?1\n[1-9]\n$/);
    expect(
      (
        await runIn(
          sandbox,
          "mount -o remount,rw / 2>/dev/null || mount -t tmpfs none /mnt 2>/dev/null || echo refused",
        )
      ).stdout,
    ).toBe("refused\n");
    expect(await runIn(sandbox, "ls -A /run | wc -l; exit 7")).toMatchObject({
      code: 7,
      stdout: "0\n",
    });
  });

  test("validations of a plan run within the same boundaries", async () => {
    await using bench = await sandboxBench({ isolation: "auto" });
    const { root, home } = bench;
    const run = `test -f new.txt && test -f a.txt && ! ls ${root}/a.txt && ! touch ${home}/x && git log -1 --format=%s`;
    const result = await applied(bench, [{ name: "inside", run }], { allowUnisolated: false });
    expect(result).toMatchObject({
      outcome: "applied",
      validations: [{ name: "inside", status: "passed", exit_code: 0 }],
    });
    expect(
      result.outcome === "applied" &&
        result.validations !== "none" &&
        result.validations[0]?.output,
    ).toContain("Apply the plan");
  });
});

/** Processes of this machine that were started with this word. */
async function processesWith(marker: string): Promise<readonly string[]> {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const lines = await Promise.all(
    pids.map((pid) => readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "")),
  );
  return lines.filter((line) => line.includes(marker));
}

async function startedWith(marker: string, count: number): Promise<void> {
  await vi.waitFor(
    async () => expect((await processesWith(marker)).length).toBeGreaterThanOrEqual(count),
    { timeout: 15_000, interval: 20 },
  );
}

async function goneWith(marker: string): Promise<void> {
  await vi.waitFor(async () => expect(await processesWith(marker)).toEqual([]), { timeout: 3_000 });
}

/** Programs of PATH without bubblewrap. */
async function pathWithout(bench: SandboxBench): Promise<string> {
  const bin = await mkdtemp(bench.folder.join("bin-"));
  for (const name of ["git", "sh", "bash", "sleep", "cat", "touch"]) {
    for (const folder of PATH.split(delimiter)) {
      const program = await realpath(join(folder, name)).catch(() => undefined);
      if (program === undefined) continue;
      await symlink(program, join(bin, name));
      break;
    }
  }
  return bin;
}

async function hiddenBench(): Promise<SandboxBench> {
  const bench = await sandboxBench();
  const { GitSandboxes } = await import("../../src/sandbox/git-sandboxes.ts");
  const environment = { PATH: await pathWithout(bench), HOME: bench.folder.join("user") };
  return {
    ...bench,
    sandboxes: new GitSandboxes({ home: bench.home, environment, isolation: "auto" }),
  };
}

describe("with bubblewrap hidden from PATH", () => {
  test("the sandbox says so, and commands run as they are", async () => {
    await using bench = await hiddenBench();
    expect(await bench.sandboxes.check()).toEqual({ isolation: "none" });
    const { sandbox } = await attempt(bench, () => Promise.resolve());
    expect(sandbox.isolation).toBe("none");
    const command = { file: "/bin/true", args: ["a"], cwd: sandbox.path, network: false };
    expect(sandbox.wrap(command)).toEqual({ file: "/bin/true", args: ["a"] });
  });

  test("validations are refused unless the server allows them, and nothing is applied", async () => {
    await using bench = await hiddenBench();
    const before = await fingerprint(bench.root);
    const trace = bench.folder.join("trace");
    const refused = await applied(bench, [{ run: `touch ${trace}` }], { allowUnisolated: false });
    expect(refused).toMatchObject({
      outcome: "constrained",
      validations: [{ status: "not_run", exit_code: null }],
      reason: expect.stringMatching(/bubblewrap.*--allow-unisolated/),
    });
    await expect(access(trace)).rejects.toThrow();
    await bench.sandboxes.remove(bench);
    expect(await fingerprint(bench.root)).toEqual(before);
    const allowed = await applied(bench, [{ run: `touch ${trace}` }], { allowUnisolated: true });
    expect(allowed).toMatchObject({ outcome: "applied", validations: [{ status: "passed" }] });
    await access(trace);
  });
});

describe("a bubblewrap that does not work", () => {
  test("counts as none", async () => {
    await using bench = await hiddenBench();
    const bin = await pathWithout(bench);
    await writeFile(join(bin, "bwrap"), "#!/bin/sh\nexit 1\n", { mode: 0o755 });
    const { GitSandboxes } = await import("../../src/sandbox/git-sandboxes.ts");
    const sandboxes = new GitSandboxes({ home: bench.home, environment: { PATH: bin } });
    expect(await sandboxes.check()).toEqual({ isolation: "none" });
  });
});

describe("validations", () => {
  test("run at the merge result, in order; the first failure ends them and nothing moves", async () => {
    await using bench = await sandboxBench({
      files: { "a.txt": "a\n", "b.txt": "b\n" },
      redact: (text) => text.replaceAll("s3cret", "***"),
    });
    const { root, sandboxes } = bench;
    const done = await attempt(bench, (path) => put(path, { "a.txt": "plan\n" }));
    await writeFile(join(root, "b.txt"), "user\n");
    await git(root, "commit", "--quiet", "-am", "user");
    const before = await fingerprint(root);
    const seen: string[] = [];
    const validations = [
      {
        ...passes,
        name: "sees both",
        run: "cat a.txt b.txt; echo s3cret; yes long | head -c 100000; echo end",
      },
      { ...passes, name: "fails", run: "echo no >&2; exit 3" },
      passes,
    ];
    const validated: ApplyOptions["validated"] = async ({ name, result }) =>
      void seen.push(`${name} ${result?.status ?? "begins"}`);
    const result = await sandboxes.apply(
      await applyOptions(bench, done, { validations, validated }),
    );
    expect(result).toMatchObject({
      outcome: "constrained",
      conflicts: [],
      reason: 'The validation "fails" ended with exit code 3.',
      validations: [
        { name: "sees both", status: "passed" },
        { name: "fails", status: "failed", exit_code: 3, output: "no\n" },
        { name: "passes", status: "not_run" },
      ],
    });
    const [first] = result.validations as readonly { readonly output: string }[];
    expect(first?.output.length).toBeLessThan(20_000);
    expect(first?.output).toMatch(/^\[the beginning is left out\]\n[^]*\nend\n$/);
    expect(seen).toEqual(["sees both begins", "sees both passed", "fails begins", "fails failed"]);
    expect(await fingerprint(root)).toEqual(before);
    expect(
      (await readdir(join(bench.home, "sandboxes", bench.planId))).filter((name) =>
        name.startsWith("check"),
      ),
    ).toEqual([]);
    const shown = await sandboxes.apply(
      await applyOptions(bench, done, {
        validations: [{ ...passes, run: "cat a.txt b.txt; echo s3cret; env" }],
      }),
    );
    const [only] = shown.validations as readonly { readonly output: string }[];
    expect(only?.output).toMatch(/^plan\nuser\n\*\*\*\n/);
    expect(only?.output).toContain("ACUMEN_AGENT=1");
  });

  test.each(hasBubblewrap ? (["auto", "none"] as const) : (["none"] as const))(
    "one that takes too long, or is aborted, ends with everything it started (isolation %s)",
    async (isolation) => {
      await using bench = await sandboxBench({ isolation });
      const marker = `marker-${createId()}`;
      // Three of them: the shell, one in the background, and one that it waits for.
      const each = `sh -c 'sleep 300; :' ${marker}`;
      const begun = `${each} & touch begun; ${each}; : ${marker}`;
      const slow = applied(bench, [{ name: "slow", run: begun, timeout_seconds: 4 }]);
      await startedWith(marker, 3);
      expect(await slow).toMatchObject({
        outcome: "constrained",
        validations: [{ status: "timed_out", exit_code: null }],
      });
      await goneWith(marker);
      await bench.sandboxes.remove(bench);
      const controller = new AbortController();
      const work = applied(bench, [{ run: begun }], {
        signal: controller.signal,
        moving: () => Promise.reject(new Error("moved after an abort")),
      });
      await startedWith(marker, 3);
      const abortedAt = performance.now();
      controller.abort();
      await expect(work).rejects.toMatchObject({ code: "CORE_ABORTED" });
      await goneWith(marker);
      expect(performance.now() - abortedAt).toBeLessThan(3_000);
    },
    30_000,
  );

  test.skipIf(!hasBubblewrap)(
    "with bubblewrap, what a validation put into a session of its own ends with it too",
    async () => {
      await using bench = await sandboxBench({ isolation: "auto" });
      const marker = `marker-${createId()}`;
      const run = `setsid sh -c 'sleep 300; :' ${marker} >/dev/null 2>&1 & sleep 1; true`;
      const work = applied(bench, [{ run }]);
      await startedWith(marker, 1);
      expect(await work).toMatchObject({ outcome: "applied", validations: [{ status: "passed" }] });
      await goneWith(marker);
    },
    30_000,
  );

  test("do not run in a project that is not trusted, and nothing is applied there", async () => {
    await using bench = await sandboxBench();
    const trace = bench.folder.join("trace");
    const distrusted = { ...bench, project: { ...bench.project, trusted: false } };
    await expect(applied(distrusted, [{ run: `touch ${trace}` }])).rejects.toThrow(/not trusted/);
    await expect(access(trace)).rejects.toThrow();
  });
});
