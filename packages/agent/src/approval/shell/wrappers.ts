import { type ShellWord, UNKNOWN_WORD } from "./shell-word.ts";

/** How a program that runs another one is called. */
interface Wrapper {
  /** Options that take the next word as their value. */
  readonly values: ReadonlySet<string>;
  /** Words before the inner program. */
  readonly skip: number;
  /** `NAME=value` may stand before the inner program. */
  readonly assigns?: true;
  /** With one of these the inner program is only looked up. */
  readonly looksUp?: readonly string[];
  /** Words are added that nobody can see. */
  readonly adds?: true;
}

const wrapper = (values = "", skip = 0, rest: Partial<Wrapper> = {}): Wrapper => ({
  values: new Set(values.split(" ").filter(Boolean)),
  skip,
  ...rest,
});

const WRAPPERS: ReadonlyMap<string, Wrapper> = new Map([
  ["env", wrapper("-u --unset -C --chdir", 0, { assigns: true })],
  ["command", wrapper("", 0, { looksUp: ["-v", "-V"] })],
  ["builtin", wrapper()],
  ["exec", wrapper("-a")],
  ["nohup", wrapper()],
  ["setsid", wrapper()],
  ["time", wrapper("-f -o --format --output")],
  ["gtime", wrapper("-f -o --format --output")],
  ["nice", wrapper("-n --adjustment")],
  ["ionice", wrapper("-c -n -t --class --classdata")],
  ["chrt", wrapper("-T -P -D", 1)],
  ["taskset", wrapper("", 1)],
  ["timeout", wrapper("-s -k --signal --kill-after", 1)],
  ["gtimeout", wrapper("-s -k --signal --kill-after", 1)],
  ["stdbuf", wrapper("-i -o -e --input --output --error")],
  [
    "sudo",
    wrapper(
      "-u -g -h -p -C -D -R -T -U -r -t --user --group --host --prompt --close-from --chdir --chroot --role --type",
      0,
      { assigns: true },
    ),
  ],
  ["doas", wrapper("-u -C")],
  [
    "xargs",
    wrapper(
      "-I -n -P -L -d -E -s -a --max-args --max-procs --max-lines --delimiter --arg-file --max-chars",
      0,
      { adds: true },
    ),
  ],
  ["flock", wrapper("-w -E --timeout --conflict-exit-code", 1)],
  ["chroot", wrapper("", 1)],
  ["busybox", wrapper()],
  ["toybox", wrapper()],
  ["npx", wrapper("-p --package -w --workspace")],
  ["bunx", wrapper()],
  ["unbuffer", wrapper()],
]);

/** Programs that run others in ways that are not worked out: each of their words may be a program. */
const RUNNERS: ReadonlySet<string> = new Set(
  (
    "su runuser watch script strace ltrace parallel unshare nsenter systemd-run ssh at batch coproc setarch linux32 linux64 " +
    "proot fakeroot firejail bwrap dbus-run-session xvfb-run start-stop-daemon chpst setpriv capsh bind complete compgen " +
    "mapfile readarray alias entr expect tmux screen crontab gdb lldb valgrind perf hyperfine nix-shell"
  ).split(" "),
);
/** Programs that run others with some of their subcommands. */
const TOOLKITS: ReadonlySet<string> = new Set(
  (
    "docker podman kubectl direnv mise asdf nix uv uvx poetry pipenv pipx rye hatch bundle rbenv pyenv nvm volta fnm corepack " +
    "pnpm yarn bun npm deno wsl"
  ).split(" "),
);

export interface Inner {
  /** The command that certainly runs; undefined: none, or it is not clear which. */
  readonly command?: readonly ShellWord[];
  /** Index of its program among the words; only where `command` is a tail of them. */
  readonly at?: number;
  /** Commands that may run. */
  readonly perhaps: readonly (readonly ShellWord[])[];
  /** It runs some of its words, and nobody knows which. */
  readonly anywhere?: true;
}

/** Longest list of words that is looked through for programs. */
const MAX_WORDS = 200;

/** What runs inside a command whose program only runs another one; undefined for every other program. */
export function wrapped(program: string, words: readonly ShellWord[]): Inner | undefined {
  const known = WRAPPERS.get(program);
  if (known === undefined) {
    if (RUNNERS.has(program)) return { perhaps: tails(words, []), anywhere: true };
    return TOOLKITS.has(program) ? { perhaps: tails(words, []) } : undefined;
  }
  if (known.looksUp?.some((option) => words[1]?.text === option) === true) return { perhaps: [] };
  const added = known.adds === true ? [UNKNOWN_WORD] : [];
  const own = known.adds === true ? withReplaced(words) : words;
  const at = innerIndex(known, own);
  const command = [...own.slice(at), ...added];
  return { command, at, perhaps: tails(own, added) };
}

function innerIndex({ values, skip, assigns }: Wrapper, words: readonly ShellWord[]): number {
  let at = 1;
  let toSkip = skip;
  let options = true;
  for (; at < words.length; at += 1) {
    const text = words[at]?.text ?? "";
    if (options && text === "--") options = false;
    else if (options && text.startsWith("-")) at += values.has(text) ? 1 : 0;
    else if (assigns === true && /^[A-Za-z_]\w*=/u.test(text)) options = false;
    else if (toSkip === 0) break;
    else {
      toSkip -= 1;
      options = false;
    }
  }
  return at;
}

/** Every tail that could be a command. */
function tails(
  words: readonly ShellWord[],
  added: readonly ShellWord[],
): readonly (readonly ShellWord[])[] {
  if (words.length > MAX_WORDS) return [[UNKNOWN_WORD]];
  return words.flatMap(({ text }, index) =>
    index === 0 || text.startsWith("-") ? [] : [[...words.slice(index), ...added]],
  );
}

/** `xargs -I X`: words that hold X become something else. */
function withReplaced(words: readonly ShellWord[]): readonly ShellWord[] {
  const marks = words.flatMap(({ text }, index) => {
    if (text === "-I" || text === "--replace") return [words[index + 1]?.text ?? "{}", "{}"];
    return /^(?:-[iI]|--replace=)(.+)$/u.exec(text)?.slice(1) ?? (text === "-i" ? ["{}"] : []);
  });
  if (marks.length === 0) return words;
  return words.map((word, index) =>
    index > 0 && marks.some((mark) => mark !== "" && word.text.includes(mark))
      ? { ...word, exact: false }
      : word,
  );
}

/** `find … -exec program … ;`: the programs that run. */
export function executedByFind(
  words: readonly ShellWord[],
): { readonly at: number; readonly command: readonly ShellWord[] }[] {
  return words.flatMap(({ text }, index) => {
    if (!/^-(?:exec|execdir|ok|okdir)$/u.test(text)) return [];
    const rest = words.slice(index + 1);
    const end = rest.findIndex((word) => word.text === ";" || word.text === "+");
    const command = rest
      .slice(0, end === -1 ? rest.length : end)
      .map((word) => (word.text.includes("{}") ? { ...word, exact: false } : word));
    return [{ at: index + 1, command }];
  });
}

/** Texts in the words of a wrapper that may be commands: `su -c 'rm x'`, `--command=rm x`, `-S'rm x'`. */
export function textsIn(words: readonly ShellWord[]): readonly string[] {
  return words.slice(1, MAX_WORDS).flatMap(({ text }) => {
    if (!/[\s;&|$`<>(){}=]/u.test(text)) return [];
    const equals = text.indexOf("=");
    return [
      text,
      ...(equals > 0 ? [text.slice(equals + 1)] : []),
      ...(text.startsWith("-") ? [text.slice(2)] : []),
    ];
  });
}

/** `env -S 'program …'`: the words of the string, as a text. */
export function splitByEnv(words: readonly ShellWord[]): readonly string[] {
  return words.flatMap(({ text }, index) => {
    const rest = words.slice(index + 1);
    if (/^-[iv0]*S$/u.test(text) || text === "--split-string") {
      return [rest.map((word) => word.text).join(" ")];
    }
    const glued = /^(?:-[iv0]*S|--split-string=)(.+)$/su.exec(text)?.[1];
    return glued === undefined ? [] : [[glued, ...rest.map((word) => word.text)].join(" ")];
  });
}
