import { type ChildProcess, spawn } from "node:child_process";
import type { Writable } from "node:stream";

/**
 * Reads which groups run. Its input ends when this process does, however that comes about; then it ends them all. Written
 * for any POSIX shell.
 */
const SCRIPT = `groups=' '
while read -r sign group; do
  case $sign in
    +) groups="$groups$group " ;;
    -) case $groups in *" $group "*) groups="\${groups%% $group *} \${groups#* $group }" ;; esac ;;
  esac
done
[ -z "\${groups# }" ] && exit
for group in $groups; do kill -s TERM -- "-$group"; kill -s CONT -- "-$group"; done
sleep 1
for group in $groups; do kill -s KILL -- "-$group"; done`;

/** Ends process groups when this process is killed and cannot do so itself. One small shell, started with the first group. */
export class ProcessGuard {
  #shell: ChildProcess | undefined;
  #closed = false;
  readonly #groups = new Set<number>();

  /**
   * Where a new group writes the line `+ GROUP` before it does anything else: whoever told it afterwards could be killed in
   * between, and the group would live on. Undefined: nobody listens.
   */
  get announcements(): Writable | undefined {
    if (!this.#closed && !this.#listens) this.#start();
    return this.#shell?.stdin ?? undefined;
  }

  /**
   * @param group id of a process group, which is the pid of its first process
   * @param options.announced it wrote its own line: a second one would outlive the first {@link forget}
   */
  watch(group: number, { announced = false } = {}): void {
    this.#groups.add(group);
    if (announced) return;
    if (this.#listens) this.#tell(`+ ${group}`);
    else if (!this.#closed) this.#start();
  }

  /** The group has ended; its number may become another one's. */
  forget(group: number): void {
    if (this.#groups.delete(group)) this.#tell(`- ${group}`);
  }

  /** Ends the groups that are still watched. */
  close(): void {
    this.#closed = true;
    this.#shell?.stdin?.end();
  }

  get #listens(): boolean {
    return this.#shell?.exitCode === null && this.#shell.signalCode === null;
  }

  #start(): void {
    const shell = spawn("/bin/sh", ["-c", SCRIPT], {
      // In a group of its own: an interrupt of the terminal must not take it away. No folder is kept busy by it.
      detached: true,
      cwd: "/",
      env: { PATH: "/usr/bin:/bin" },
      stdio: ["pipe", "ignore", "ignore"],
    });
    // Without it, commands end with this process as far as it can end them itself.
    shell.on("error", () => undefined);
    shell.stdin.on("error", () => undefined);
    // It must not keep this process running.
    shell.unref();
    (shell.stdin as { unref?: () => void }).unref?.();
    this.#shell = shell;
    for (const group of this.#groups) this.#tell(`+ ${group}`);
  }

  #tell(line: string): void {
    const input = this.#shell?.stdin;
    if (input?.writable === true) input.write(`${line}\n`);
  }
}
