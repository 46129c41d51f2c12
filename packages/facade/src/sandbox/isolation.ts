import type { Logger } from "@acumen/core";
import { findProgram, LocalProcesses, ProcessGuard } from "@acumen/agent";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { userInfo } from "node:os";
import { delimiter, dirname, isAbsolute, join, sep } from "node:path";
import { isWithin, placeBehind, realOf, realPlace } from "./real-place.ts";

export interface ConfinedCommand {
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly network: boolean;
}

export interface Boundaries {
  /** The only folder, beside `temp`, that can be written. */
  readonly work: string;
  /** Stands at /tmp. */
  readonly temp: string;
  /** Look empty. */
  readonly hidden: readonly string[];
  /** Can be read though they lie in a hidden folder. */
  readonly readable: readonly string[];
}

type Environment = Readonly<Record<string, string | undefined>>;
type Covers = Pick<Boundaries, "hidden" | "readable">;

const PROBE_MS = 10_000;
const NAMESPACES = ["--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"];
const COMMON = ["--die-with-parent", "--new-session", "--cap-drop", "ALL", "--ro-bind", "/", "/"];
/** With it, not even root of the machine is root within; where the system forbids it, the capabilities are dropped all the same. */
const USER_NAMESPACE = [["--unshare-user"], []];
/** Users of services have such homes. Nobody's files are there, and without them nothing runs. */
const SYSTEM_HOMES: ReadonlySet<string> = new Set(
  ["", "bin", "dev", "etc", "lib", "proc", "sbin", "sys", "usr"]
    .concat(["usr/bin", "usr/lib", "usr/lib64", "usr/sbin"])
    .map((name) => `/${name}`),
);

interface IsolationOptions {
  readonly mode: "auto" | "none";
  readonly environment: Environment;
  /** What the system says; beside `HOME`, which may be missing or another one. Default: asked. */
  readonly userHome?: string;
  /** Where sandboxes lie, real. */
  readonly root: string;
  /** Hidden whatever the project is. */
  readonly hidden: readonly string[];
  readonly logger: Logger;
}

/** Keeps commands to a folder by bubblewrap, where it works. */
export class Isolation {
  readonly #options: IsolationOptions;
  #probed: Promise<Bubblewrap | undefined> | undefined;
  readonly #working = new Set<string>();

  constructor(options: IsolationOptions) {
    this.#options = options;
  }

  /**
   * Tried with the folders that would be hidden, in a sandbox that nobody has used. Undefined: commands cannot be kept to a folder here,
   * or not with these folders.
   */
  async bubblewrap(covers?: Covers): Promise<Bubblewrap | undefined> {
    this.#probed ??= this.#find();
    const found = await this.#probed;
    if (found === undefined || covers === undefined) return found;
    const readable = covers.readable.filter((path) => !isWithin(path, this.#options.root));
    const key = JSON.stringify([covers.hidden, readable]);
    if (this.#working.has(key)) return found;
    if (!(await this.#works(found, { ...covers, readable }))) {
      const { hidden } = covers;
      this.#options.logger.warn(
        "bubblewrap cannot hide these folders: commands of plans there run unisolated",
        { hidden: hidden.join(", ") },
      );
      return undefined;
    }
    this.#working.add(key);
    return found;
  }

  async #find(): Promise<Bubblewrap | undefined> {
    const { mode, environment, hidden, logger } = this.#options;
    if (mode === "none") return undefined;
    const path = (environment["PATH"] ?? "").split(delimiter).filter(isAbsolute).join(delimiter);
    const found = await findProgram("bwrap", "/", path);
    if (!found.ok) {
      logger.warn("bubblewrap is not there: commands of plans run unisolated", {});
      return undefined;
    }
    const homes = homesOf(this.#options);
    for (const namespace of USER_NAMESPACE) {
      const candidate = new Bubblewrap(found.path, { namespace, homes, path });
      if (await this.#works(candidate, { hidden, readable: [] })) return candidate;
    }
    logger.warn("bubblewrap does not work here: commands of plans run unisolated", {
      program: found.path,
    });
    return undefined;
  }

  /** With folders of its own: what a plan left in its own must not decide about isolation. */
  async #works(candidate: Bubblewrap, covers: Covers): Promise<boolean> {
    const { root, logger } = this.#options;
    try {
      await mkdir(root, { recursive: true, mode: 0o700 });
      const folder = await mkdtemp(join(root, ".probe-"));
      const [work, temp] = [join(folder, "work"), join(folder, "tmp")];
      try {
        await Promise.all([mkdir(work), mkdir(temp)]);
        return await candidate.works({ ...covers, work, temp });
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      logger.warn("bubblewrap could not be tried", { reason });
      return false;
    }
  }
}

export class Bubblewrap {
  readonly #program: string;
  readonly #namespace: readonly string[];
  readonly #homes: readonly string[];
  readonly #path: string;

  /** @param facts.homes real paths; hidden, the programs of `path` excepted */
  constructor(
    program: string,
    facts: {
      readonly namespace: readonly string[];
      readonly homes: readonly string[];
      readonly path: string;
    },
  ) {
    this.#program = program;
    this.#namespace = facts.namespace;
    this.#homes = facts.homes;
    this.#path = facts.path;
  }

  wrap(command: ConfinedCommand, boundaries: Boundaries): { file: string; args: string[] } {
    return {
      file: this.#program,
      args: [
        ...COMMON,
        ...NAMESPACES,
        ...this.#namespace,
        ...(command.network ? [] : ["--unshare-net"]),
        ...this.#mounts(command, boundaries),
        "--chdir",
        command.cwd,
        "--",
        command.file,
        ...command.args,
      ],
    };
  }

  /** Whether a command could start, and write, within these. */
  async works(boundaries: Boundaries): Promise<boolean> {
    const guard = new ProcessGuard();
    const processes = new LocalProcesses(guard, ({ file, args, cwd }) =>
      this.wrap({ file, args, cwd, network: false }, boundaries),
    );
    try {
      const { exitCode } = await processes.exec({
        command: ": > probe && : > /tmp/probe",
        cwd: boundaries.work,
        env: {},
        timeoutMs: PROBE_MS,
        signal: new AbortController().signal,
        onData: () => undefined,
      });
      return exitCode === 0;
    } catch {
      return false;
    } finally {
      guard.close();
    }
  }

  /**
   * In this order: what is mounted later lies above what was there. Nothing can be mounted at a link, so each place is the real one: what
   * is seen through a link is hidden with it.
   */
  #mounts({ network }: ConfinedCommand, boundaries: Boundaries): readonly string[] {
    const { work, temp, readable } = boundaries;
    const run = realPlace("/run");
    const temps = [...new Set(["/tmp", "/var/tmp"].map(realPlace))];
    const own = realFolders(boundaries.hidden);
    const shadowed = new Set(["/", ...temps]);
    const hidden = outermost([...own, ...this.#homes].filter((folder) => !shadowed.has(folder)));
    const covers = [...hidden, ...temps, run];
    const resolver = "/run/systemd/resolve";
    const system = ["--dev", "/dev", "--proc", "/proc", "--tmpfs", run];
    const names = network ? ["--ro-bind-try", resolver, realPlace(resolver)] : [];
    const variables = ["--setenv", "TMPDIR", "/tmp", "--setenv", "HOME", "/tmp"];
    return [
      ...system,
      ...names,
      ...temps.flatMap((folder) => ["--bind", temp, folder]),
      ...hidden.flatMap((folder) => ["--tmpfs", folder]),
      ...[...this.#programs(own, covers), ...readable].flatMap((folder) => [
        "--ro-bind-try",
        folder,
        placeBehind(folder, covers),
      ]),
      "--bind",
      work,
      work,
      ...hidden.flatMap((folder) => ["--remount-ro", folder]),
      ...variables,
    ];
  }

  /** Programs that the user keeps at home would otherwise be gone with it. Those of the project are: it looks empty. */
  #programs(own: readonly string[], covers: readonly string[]): readonly string[] {
    const folders = this.#path.split(delimiter).filter((folder) => {
      if (!isAbsolute(folder)) return false;
      const place = placeBehind(folder, covers);
      return this.#homes.some((home) => {
        if (place === home || !isWithin(place, home)) return false;
        return !own.some((other) => isWithin(place, other) && !isWithin(home, other));
      });
    });
    return folders.flatMap((folder) => {
      return folder.endsWith(`${sep}bin`) ? [folder, join(dirname(folder), "lib")] : [folder];
    });
  }
}

function homesOf({ environment, userHome }: IsolationOptions): readonly string[] {
  const named = [environment["HOME"], userHome ?? homeByTheSystem()];
  const there = realFolders(named.flatMap((home) => (home === undefined ? [] : [home])));
  return there.filter((home) => !SYSTEM_HOMES.has(home));
}

/** Undefined: it knows no such user. */
function homeByTheSystem(): string | undefined {
  try {
    return userInfo().homedir;
  } catch {
    return undefined;
  }
}

/** Those that there are. */
function realFolders(folders: readonly string[]): readonly string[] {
  const real = folders.map((folder) => (isAbsolute(folder) ? realOf(folder) : undefined));
  return [...new Set(real.flatMap((folder) => (folder === undefined ? [] : [folder])))];
}

/** Without those that lie in another one. */
function outermost(folders: readonly string[]): readonly string[] {
  const unique = [...new Set(folders)];
  return unique.filter(
    (folder) => !unique.some((other) => other !== folder && isWithin(folder, other)),
  );
}
