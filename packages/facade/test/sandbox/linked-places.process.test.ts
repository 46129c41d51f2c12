import { silentLogger } from "@acumen/core";
import { execFile } from "node:child_process";
import { access, chmod, mkdir, mkdtemp, readdir, realpath, rm, symlink } from "node:fs/promises";
import { userInfo } from "node:os";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { GitSandboxes, type GitSandboxesOptions } from "../../src/sandbox/git-sandboxes.ts";
import type { Project, Sandbox } from "../../src/sandbox/sandboxes.ts";
import { isCheckoutSeen, unseenReason } from "../support/seen-checkout.ts";
import { applyOptions, attempt, commitAll, git, never, put, type SandboxBench } from "./support.ts";

const PATH = process.env["PATH"] ?? "";
/** Not below /tmp, of which a confined command sees nothing anyway. */
const ROOT = fileURLToPath(new URL("../../../../node_modules/.cache/", import.meta.url));

const hasBubblewrap = await Promise.any(
  PATH.split(delimiter).map((folder) => access(join(folder, "bwrap"))),
).then(
  () => true,
  () => false,
);

interface Places {
  /** By the path that the program is given. */
  readonly home: string;
  readonly user: string;
  readonly project: string;
  readonly environment?: Readonly<Record<string, string | undefined>>;
}

/** Makes the folders, links among them, below an empty one. */
type Lay = (at: (...names: string[]) => string) => Promise<Places>;

async function folder(path: string): Promise<string> {
  await mkdir(path, { recursive: true });
  return path;
}

async function link(target: string, path: string): Promise<string> {
  await symlink(await folder(target), path);
  return path;
}

const LAYS: Readonly<Record<string, Lay>> = {
  "home, user and project are links": async (at) => ({
    home: await link(at("real", "acumen"), at("home-link")),
    user: await link(at("real", "user"), at("user-link")),
    project: await link(at("real", "project"), at("project-link")),
  }),
  "a parent of all is a link": async (at) => {
    const parent = await link(at("var", "home"), at("home"));
    const user = await folder(join(parent, "u"));
    return { home: join(user, ".acumen"), user, project: await folder(join(user, "project")) };
  },
  "the folder of the sandboxes is a link": async (at) => {
    const home = await folder(at("acumen"));
    await link(at("disk", "sandboxes"), join(home, "sandboxes"));
    return { home, user: await folder(at("user")), project: await folder(at("project")) };
  },
  "home lies in the project": async (at) => {
    const project = await link(at("real", "project"), at("project"));
    return { home: join(project, ".acumen-home"), user: await folder(at("user")), project };
  },
  "the project lies in home": async (at) => {
    const home = await link(at("real", "acumen"), at("acumen"));
    return { home, user: await folder(at("user")), project: await folder(join(home, "project")) };
  },
  "the project is the user's home": async (at) => {
    const user = await link(at("real", "user"), at("user"));
    return { home: join(user, ".acumen"), user, project: user };
  },
};

interface Bench extends SandboxBench {
  readonly places: Places;
}

async function open(
  lay: Lay,
  kind: Project["kind"],
  options: Partial<GitSandboxesOptions>,
  root = ROOT,
): Promise<Bench> {
  await mkdir(root, { recursive: true });
  const path = await realpath(await mkdtemp(join(root, "acumen-linked-")));
  const places = await lay((...names) => join(path, ...names));
  const { home, user, project } = places;
  await put(user, { id_rsa: "secret" });
  await put(home, { "tokens.json": "secret" });
  await put(project, { "a.txt": "secret\n", ".gitignore": "/.acumen*\n/id_rsa\n/tokens.json\n" });
  if (kind === "git-checkout") {
    await git(project, "init", "--quiet", "--initial-branch=main");
    await commitAll(project, "first");
  }
  const sandboxes = new GitSandboxes({
    home,
    environment: { PATH, HOME: user, ...places.environment },
    userHome: user,
    ...options,
  });
  return {
    places,
    home,
    root: project,
    project: { path: await realpath(project), name: "local/project", kind, trusted: true },
    sandboxes,
    planId: "P1",
    // Nothing here asks for it.
    folder: undefined as never,
    [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }),
  };
}

function runIn(sandbox: Sandbox, script: string): Promise<{ code: unknown; stdout: string }> {
  const { path: cwd } = sandbox;
  const call = { file: "/bin/sh", args: ["-c", script], cwd, network: false };
  const { file, args } = sandbox.wrap(call);
  return new Promise((resolve) => {
    execFile(file, [...args], { cwd, env: { PATH } }, (error, stdout, stderr) => {
      resolve({ code: error?.code ?? 0, stdout: stdout + stderr });
    });
  });
}

const { homedir } = userInfo();
const homeEntries = await readdir(homedir, { withFileTypes: true }).catch(() => []);
const homeFiles = homeEntries.filter((entry) => entry.isFile()).length;

const kinds = ["git-checkout", "fs-directory"] as const;
const isolations = (["auto", "none"] as const).filter((mode) => mode === "none" || hasBubblewrap);
const cases = kinds.flatMap((kind) => isolations.map((isolation) => ({ kind, isolation })));

describe.each(Object.entries(LAYS))("where %s", (_name, lay) => {
  test.each(cases)(
    "commands and validations run, and see nothing of it ($kind, isolation $isolation)",
    async ({ kind, isolation }) => {
      await using bench = await open(lay, kind, { isolation });
      const { sandboxes, planId, project, places } = bench;
      const isConfined = isolation === "auto";
      const expected = isConfined ? "bubblewrap" : "none";
      expect(await sandboxes.check()).toEqual({ isolation: expected });
      const done = await attempt(bench, (path) => put(path, { "new.txt": "new\n" }));
      const { base, sandbox } = done;
      expect(sandbox.isolation).toBe(expected);
      expect(sandbox.path).toBe(await realpath(sandbox.path));
      // As an older record may name it.
      const { branch, attempt: number } = sandbox;
      const path = join(places.home, "sandboxes", planId, "1", "work");
      const opened = { planId, project, base, sandbox: { path, branch, attempt: number } };
      expect(await sandboxes.open(opened)).toMatchObject({ path: sandbox.path });

      const named = [places.home, places.user, places.project];
      const real = await Promise.all(named.map((each) => realpath(each)));
      const secrets = [...named, ...real].flatMap((each) =>
        ["tokens.json", "id_rsa", "a.txt"].map((name) => join(each, name)),
      );
      const look = `cat ${secrets.join(" ")} 2>/dev/null; pwd; echo own >own.txt && cat own.txt new.txt; git log --format=%s`;
      const ran = await runIn(sandbox, look);
      expect(ran.stdout.includes("secret")).toBe(!isConfined);
      expect(ran.stdout).toContain(`${sandbox.path}\nown\nnew\n`);
      expect(ran.code).toBe(0);
      const writes = named.map((each) => `touch ${each}/made 2>/dev/null && echo wrote`);
      const wrote = await runIn(sandbox, `${writes.join("; ")}; exit 0`);
      expect(wrote).toEqual({ code: 0, stdout: isConfined ? "" : "wrote\nwrote\nwrote\n" });
      for (const each of named) await rm(join(each, "made"), { force: true });

      const run = isConfined ? `! cat ${secrets.join(" ")}; cat new.txt` : "cat new.txt";
      const validations = [{ name: "own", run, timeout_seconds: 60, network: false }];
      const options = await applyOptions(bench, done, { validations });
      expect(await sandboxes.apply(options)).toMatchObject({
        outcome: "applied",
        validations: [{ status: "passed" }],
      });
      expect(await readdir(places.project)).toContain("new.txt");
      await sandboxes.remove({ planId, project });
      expect(await readdir(join(places.home, "sandboxes"))).toEqual([]);
    },
  );
});

describe.skipIf(!hasBubblewrap)("with bubblewrap", () => {
  test("below /tmp it is the same", async () => {
    for (const lay of Object.values(LAYS)) {
      await using bench = await open(lay, "git-checkout", { isolation: "auto" }, "/tmp");
      const { home, project } = bench.places;
      const { sandbox } = await attempt(bench, () => Promise.resolve());
      expect(sandbox.isolation).toBe("bubblewrap");
      const look = `cat ${home}/tokens.json ${project}/id_rsa 2>/dev/null; echo own >/tmp/own && cat /tmp/own && git log --format=%s`;
      expect(await runIn(sandbox, look)).toEqual({ code: 0, stdout: "own\nfirst\n" });
    }
  });

  const there = test.skipIf(!isCheckoutSeen);

  there(
    `programs that the user keeps at home are there, also through a link, and none of the project${unseenReason}`,
    async () => {
      const lay: Lay = async (at) => {
        const user = await link(at("real", "user"), at("user"));
        await put(at("real"), { "user/project/bin/theirs": "", "user/tools/bin/linked": "" });
        await put(at("real"), { "user/.local/bin/mine": "", "user/.local/lib/mine.so": "" });
        await symlink(join(user, "tools"), at("tools"));
        const folders = [join(user, ".local", "bin"), join(user, "project", "bin")];
        const path = [...folders, at("tools", "bin"), PATH].join(delimiter);
        const project = join(user, "project");
        return { home: join(user, ".acumen"), user, project, environment: { PATH: path } };
      };
      await using bench = await open(lay, "git-checkout", { isolation: "auto" });
      const { user } = bench.places;
      const { sandbox } = await attempt(bench, () => Promise.resolve());
      const look = `cd ${user} && ls .local/bin .local/lib ../tools/bin project`;
      const { stdout } = await runIn(sandbox, `${look}; ls ${user}/../tools/bin`);
      expect(stdout).toMatch(/mine\n[^]*mine\.so\n/);
      expect(stdout).not.toContain("theirs");
      expect((await runIn(sandbox, `ls ${join(user, "..", "tools", "bin")}`)).stdout).toBe(
        "linked\n",
      );
    },
  );

  there(`objects that are borrowed through a link are there${unseenReason}`, async () => {
    const lay: Lay = async (at) => {
      const user = await folder(at("user"));
      await git(user, "init", "--quiet", "--initial-branch=main", "lent");
      await put(join(user, "lent"), { "a.txt": "lent\n" });
      await commitAll(join(user, "lent"), "lent");
      const through = await link(user, at("through"));
      await git(user, "clone", "--quiet", "--shared", join(through, "lent"), "project");
      await put(user, {
        "project/.git/objects/info/alternates": `${through}/lent/.git/objects\n`,
      });
      return { home: join(user, ".acumen"), user, project: join(user, "project") };
    };
    await using bench = await open(lay, "git-checkout", { isolation: "auto" });
    const { sandbox } = await attempt(bench, () => Promise.resolve());
    const log = await runIn(sandbox, "git log --format=%s && git cat-file -p HEAD~1:a.txt");
    expect(log).toEqual({ code: 0, stdout: "first\nlent\nlent\n" });
  });

  test.skipIf(homeFiles === 0)(
    "without HOME the home that the system knows is hidden",
    async () => {
      await using bench = await open(
        async (at) => ({
          home: at("acumen"),
          user: at("user"),
          project: at("project"),
          environment: { HOME: undefined },
        }),
        "git-checkout",
        { isolation: "auto" },
      );
      const { user } = bench.places;
      const given = await attempt(bench, () => Promise.resolve());
      expect((await runIn(given.sandbox, `ls ${user}`)).stdout).toBe("");
      const { home, project } = bench;
      const sandboxes = new GitSandboxes({ home, environment: { PATH }, isolation: "auto" });
      const base = await sandboxes.base(project, "P2");
      const own = await sandboxes.create({ planId: "P2", attempt: 1, project, base }, never);
      expect(own.isolation).toBe("bubblewrap");
      const count = `find ${homedir} -maxdepth 1 -type f | wc -l`;
      expect((await runIn(own, count)).stdout.trim()).toBe("0");
    },
  );

  test("homes of services that are the system's are not hidden, so that commands run", async () => {
    for (const userHome of ["/", "/bin", "/usr/sbin", "/dev", "/nonexistent"]) {
      await using bench = await open(LAYS["a parent of all is a link"] as Lay, "fs-directory", {
        isolation: "auto",
        userHome,
      });
      expect(await bench.sandboxes.check()).toEqual({ isolation: "bubblewrap" });
    }
  });

  test.each(["user", "project"] as const)(
    "where the %s cannot be hidden, the isolation is none, and the log says so",
    async (name) => {
      await using bench = await open(LAYS["a parent of all is a link"] as Lay, "fs-directory", {});
      const { home, places, project, planId } = bench;
      const bin = join(await realpath(home), "bin");
      const program = (await Promise.any(
        PATH.split(delimiter).map(async (each) => {
          await access(join(each, "bwrap"));
          return join(each, "bwrap");
        }),
      )) as string;
      // One that cannot mount at this place.
      const place = await realpath(places[name]);
      const script = `#!/bin/sh\ncase "$*" in *"--tmpfs ${place} "*) exit 1;; esac\nexec ${program} "$@"\n`;
      await put(bin, { bwrap: script });
      await chmod(join(bin, "bwrap"), 0o755);
      const warned: string[] = [];
      const logger = { ...silentLogger, warn: (message: string) => void warned.push(message) };
      const user = name === "user" ? places.user : "/nonexistent";
      const environment = { PATH: `${bin}${delimiter}${PATH}`, HOME: user };
      const sandboxes = new GitSandboxes({ home, environment, userHome: user, logger });
      const expected = name === "user" ? "none" : "bubblewrap";
      expect(await sandboxes.check()).toEqual({ isolation: expected });
      const base = await sandboxes.base(project, planId);
      const { isolation } = await sandboxes.create({ planId, attempt: 1, project, base }, never);
      expect(isolation).toBe("none");
      expect(warned).toEqual([expect.stringMatching(/commands of plans.* run unisolated$/)]);
    },
  );
});
