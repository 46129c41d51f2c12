import type { Logger } from "@acumen/core";
import { findProgram, LocalProcesses, ProcessGuard } from "@acumen/agent";
import { existsSync } from "node:fs";
import { delimiter, dirname, isAbsolute, join, sep } from "node:path";

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

const PROBE_MS = 10_000;
const NAMESPACES = ["--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"];
const COMMON = ["--die-with-parent", "--new-session", "--cap-drop", "ALL", "--ro-bind", "/", "/"];
/** With it, not even root of the machine is root within; where the system forbids it, the capabilities are dropped all the same. */
const USER_NAMESPACE = [["--unshare-user"], []];

/** Keeps commands to a folder by bubblewrap, where it works. */
export class Isolation {
  readonly #options: {
    readonly mode: "auto" | "none";
    readonly environment: Readonly<Record<string, string | undefined>>;
    readonly logger: Logger;
  };
  #probed: Promise<Bubblewrap | undefined> | undefined;

  constructor(options: {
    readonly mode: "auto" | "none";
    readonly environment: Readonly<Record<string, string | undefined>>;
    readonly logger: Logger;
  }) {
    this.#options = options;
  }

  /** Tried once. Undefined: commands cannot be kept to a folder here. */
  bubblewrap(): Promise<Bubblewrap | undefined> {
    this.#probed ??= this.#probe();
    return this.#probed;
  }

  async #probe(): Promise<Bubblewrap | undefined> {
    const { mode, environment, logger } = this.#options;
    if (mode === "none") return undefined;
    const path = (environment["PATH"] ?? "").split(delimiter).filter(isAbsolute).join(delimiter);
    const found = await findProgram("bwrap", "/", path);
    if (!found.ok) {
      logger.warn("bubblewrap is not there: commands of plans run unisolated", {});
      return undefined;
    }
    for (const namespace of USER_NAMESPACE) {
      const candidate = new Bubblewrap(found.path, namespace, environment);
      if (await candidate.works()) return candidate;
    }
    logger.warn("bubblewrap does not work here: commands of plans run unisolated", {
      program: found.path,
    });
    return undefined;
  }
}

export class Bubblewrap {
  readonly #program: string;
  readonly #namespace: readonly string[];
  readonly #environment: Readonly<Record<string, string | undefined>>;

  constructor(
    program: string,
    namespace: readonly string[],
    environment: Readonly<Record<string, string | undefined>>,
  ) {
    this.#program = program;
    this.#namespace = namespace;
    this.#environment = environment;
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

  async works(): Promise<boolean> {
    const guard = new ProcessGuard();
    const processes = new LocalProcesses(guard, ({ file, args }) => ({
      file: this.#program,
      args: [
        ...COMMON,
        ...NAMESPACES,
        ...this.#namespace,
        "--unshare-net",
        "--dev",
        "/dev",
        "--proc",
        "/proc",
        file,
        ...args,
      ],
    }));
    try {
      const { exitCode } = await processes.exec({
        command: "exit 0",
        cwd: "/",
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

  /** In this order: what is mounted later lies above what was there. */
  #mounts({ network }: ConfinedCommand, boundaries: Boundaries): readonly string[] {
    const { work, temp, readable } = boundaries;
    const home = this.#environment["HOME"];
    const hidden = outermost([...boundaries.hidden, ...(home === undefined ? [] : [home])]);
    const programs = home === undefined ? [] : this.#programsWithin(home);
    const resolver = "/run/systemd/resolve";
    const system = ["--dev", "/dev", "--proc", "/proc", "--tmpfs", "/run"];
    const names = network ? ["--ro-bind-try", resolver, resolver] : [];
    const temps = ["--bind", temp, "/tmp", "--bind", temp, "/var/tmp"];
    const variables = ["--setenv", "TMPDIR", "/tmp", "--setenv", "HOME", "/tmp"];
    return [
      ...[system, names, temps].flat(),
      ...hidden.flatMap((folder) => ["--tmpfs", folder]),
      ...[...programs, ...readable].flatMap((folder) => ["--ro-bind-try", folder, folder]),
      "--bind",
      work,
      work,
      ...hidden.flatMap((folder) => ["--remount-ro", folder]),
      ...variables,
    ];
  }

  /** Programs that the user keeps at home would otherwise be gone with it. */
  #programsWithin(home: string): readonly string[] {
    return (this.#environment["PATH"] ?? "").split(delimiter).flatMap((folder) => {
      if (!isAbsolute(folder) || !folder.startsWith(`${home}${sep}`)) return [];
      return folder.endsWith(`${sep}bin`) ? [folder, join(dirname(folder), "lib")] : [folder];
    });
  }
}

/** Those that there are, without those that lie in another one. Of `/tmp` nothing is seen anyway. */
function outermost(folders: readonly string[]): readonly string[] {
  const there = folders.filter((folder) => isAbsolute(folder) && existsSync(folder));
  const unique = [...new Set(there)].filter((folder) => folder !== "/" && folder !== "/tmp");
  return unique.filter(
    (folder) => !unique.some((other) => other !== folder && folder.startsWith(`${other}${sep}`)),
  );
}
