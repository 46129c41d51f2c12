import { tempFolder, type TempFolder } from "@acumen/testkit";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { expect, test, vi } from "vitest";
import { GitCommand } from "../../src/git/git-command.ts";

/** A `git` that is a script. */
async function fakeGit(folder: TempFolder, script: string): Promise<GitCommand> {
  await mkdir(folder.join("bin"), { recursive: true });
  await writeFile(folder.join("bin", "git"), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return new GitCommand({
    environment: { PATH: `${folder.join("bin")}:${process.env["PATH"] ?? ""}` },
  });
}

const modern = 'if [ "$1" = version ]; then echo "git version 2.45.1"; exit; fi\n';

test("a git that is not there or too old is said with the remedy", async () => {
  await using folder = await tempFolder("git");
  const none = new GitCommand({ environment: { PATH: `${folder.join("empty")}:relative` } });
  await expect(none.program()).rejects.toMatchObject({
    code: "FACADE_CONFIGURATION_ERROR",
    message: expect.stringMatching(/no git.*2\.38.*Install/),
  });
  const old = await fakeGit(folder, 'echo "git version 2.37.9"');
  await expect(old.program()).rejects.toMatchObject({
    code: "FACADE_CONFIGURATION_ERROR",
    message: expect.stringMatching(/2\.37\.9.*2\.38/),
  });
  // It is looked at again: somebody may have installed another one.
  await fakeGit(folder, modern);
  expect(await old.program()).toBe(folder.join("bin", "git"));
  expect(await (await fakeGit(folder, 'echo "git version 3.0.0"')).program()).toBe(
    folder.join("bin", "git"),
  );
});

test("what git says is shown from its end, without hints, and a full disk with its remedy", async () => {
  await using folder = await tempFolder("git");
  const script = `${modern}if [ "$1" = config ]; then exit 0; fi
for i in $(seq 1 40); do echo "hint: grafts are deprecated $i" >&2; done
for i in $(seq 1 40); do echo "warning: something $i" >&2; done
echo "fatal: cannot write: $1" >&2; exit 128`;
  const git = await fakeGit(folder, script);
  const call = { gitDir: folder.path, own: true };
  const fails = (reason: string) => git.run([reason], call).catch((error: unknown) => error);
  const full = await fails("No space left on device");
  expect(full).toMatchObject({
    code: "FACADE_PLAN_ERROR",
    retryable: true,
    message: expect.stringMatching(/: … .*No space left on device Make room on that disk/),
  });
  expect((full as Error).message).not.toContain("hint");
  expect(await fails("other")).toMatchObject({
    retryable: false,
    message: expect.stringMatching(/fatal: cannot write: other$/),
  });
});

test("an abort ends git and what it started within a second; a call without a signal runs to its end", async () => {
  await using folder = await tempFolder("git");
  const pids = folder.join("pids");
  const git = await fakeGit(folder, `${modern}sleep 300 & echo "$$ $!" > '${pids}'; wait`);
  const controller = new AbortController();
  const work = git.run(["slow"], { gitDir: folder.path, own: true, signal: controller.signal });
  work.catch(() => undefined);
  const started = await vi.waitFor(async () => {
    const found = (await readFile(pids, "utf8")).trim().split(" ").map(Number);
    expect(found).toHaveLength(2);
    return found;
  }, 20_000);
  const abortedAt = performance.now();
  controller.abort();
  await expect(work).rejects.toMatchObject({ code: "CORE_ABORTED" });
  expect(performance.now() - abortedAt).toBeLessThan(3_000);
  await vi.waitFor(() => {
    for (const pid of started) expect(() => process.kill(pid, 0)).toThrow();
  }, 5_000);
  await expect(
    git.run(["x"], { gitDir: folder.path, own: true, signal: controller.signal }),
  ).rejects.toMatchObject({
    code: "CORE_ABORTED",
  });
});

test("output is capped, and a failure says what git said in one clean line", async () => {
  await using folder = await tempFolder("git");
  const git = await fakeGit(
    folder,
    `${modern}if [ "$1" = much ]; then yes; fi\nprintf 'fatal: \\033[31mno\\nsuch thing\\n' >&2; exit 128`,
  );
  const place = { gitDir: folder.path, own: true };
  const much = await git.run(["much"], { ...place, maxBytes: 1000 });
  expect(much).toMatchObject({ truncated: true });
  expect(much.stdout).toHaveLength(1000);
  await expect(git.run(["fails"], place)).rejects.toMatchObject({
    code: "FACADE_PLAN_ERROR",
    message: expect.stringMatching(/^git fails failed in [^\n]*: fatal: +\[31mno such thing$/),
  });
  expect(await git.run(["fails"], { ...place, answers: [128] })).toMatchObject({ exitCode: 128 });
});

test("children get nothing of the environment but PATH, and never ask", async () => {
  await using folder = await tempFolder("git");
  const git = await fakeGit(folder, `${modern}env`);
  const seen = await git.text(["x"], { gitDir: folder.path, own: true });
  const names = seen.split("\n").map((line) => line.split("=", 1)[0] ?? "");
  expect(
    names.filter(
      (name) => !/^(?:GIT_|PATH$|HOME$|LC_ALL$|TZ$|SSH_ASKPASS$|PWD$|SHLVL$|_$|OLDPWD$)/.test(name),
    ),
  ).toEqual([]);
  expect(seen).toContain("GIT_TERMINAL_PROMPT=0");
  expect(seen).toContain("GIT_CONFIG_GLOBAL=/dev/null");
  expect(seen).toContain("HOME=/nonexistent");
});
