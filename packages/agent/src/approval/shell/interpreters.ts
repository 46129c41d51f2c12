import type { ShellWord } from "./shell-word.ts";

const SHELLS: ReadonlySet<string> = new Set(
  "sh bash dash zsh ksh mksh ash fish rbash csh tcsh pwsh".split(" "),
);
const SHELL_VALUE_OPTIONS: ReadonlySet<string> = new Set(
  "-o +o -O +O --rcfile --init-file".split(" "),
);
/** A file that is no file: its content comes from elsewhere. */
const NO_FILE = /^(?:-$|\/dev\/|\/proc\/)/u;

export interface ShellCall {
  /** Scripts that it runs. */
  readonly scripts: readonly string[];
  /** A script in a file with its arguments, which is a program like any other; empty: none. */
  readonly file: readonly ShellWord[];
  /** It runs what cannot be seen. */
  readonly opaque: boolean;
}

/** What a shell, or a word of the shell that runs text, runs; undefined for every other program. */
export function shellCall(
  program: string,
  words: readonly ShellWord[],
  input: ShellWord | undefined,
): ShellCall | undefined {
  const args = words.slice(1);
  switch (program) {
    case "eval":
      return { scripts: [joined(args)], file: [], opaque: true };
    case "trap": {
      const [action] = args.filter(({ text }) => !text.startsWith("-"));
      return action && { scripts: [action.text], file: [], opaque: !action.exact };
    }
    case "source":
    case ".":
      return fromFile(args, input);
    case "hash":
    case "enable":
      return args.some(({ text }) => /^-.*[pf]/u.test(text))
        ? { scripts: [], file: [], opaque: true }
        : undefined;
    default:
      return SHELLS.has(program) ? ofShell(args, input) : undefined;
  }
}

function ofShell(args: readonly ShellWord[], input: ShellWord | undefined): ShellCall {
  const options: string[] = [];
  let at = 0;
  for (; at < args.length; at += 1) {
    const text = args[at]?.text ?? "";
    if (!args[at]?.exact || !/^[-+]./u.test(text)) break;
    options.push(text);
    at += SHELL_VALUE_OPTIONS.has(text) ? 1 : 0;
    if (text === "--") {
      at += 1;
      break;
    }
  }
  const rest = args.slice(at);
  if (!options.some((option) => /^-[A-Za-z]*[cC]/u.test(option) || /^--?command$/iu.test(option))) {
    return fromFile(options.includes("-s") ? [] : rest, input);
  }
  const [script] = rest;
  if (script === undefined) return { scripts: [], file: [], opaque: true };
  return { scripts: [script.text], file: [], opaque: !script.exact };
}

function fromFile(args: readonly ShellWord[], input: ShellWord | undefined): ShellCall {
  const [file] = args;
  if (file !== undefined && file.exact && !NO_FILE.test(file.text)) {
    return { scripts: [], file: args, opaque: false };
  }
  // It reads its input.
  if (input === undefined) return { scripts: [], file: [], opaque: true };
  return { scripts: [input.text], file: [], opaque: !input.exact || file !== undefined };
}

function joined(words: readonly ShellWord[]): string {
  return words.map(({ text }) => text).join(" ");
}

/** Options behind which a program takes code in a language that is not read here. */
const CODE_OPTIONS: ReadonlyMap<string, RegExp> = new Map([
  ["python", /^-[A-Za-z]*c/u],
  ["perl", /^-[A-Za-z0-9]*[eE]/u],
  ["ruby", /^-[A-Za-z0-9]*e/u],
  ["node", /^(?:-[pe]+$|--eval|--print|--import|--require|-r$)/u],
  ["nodejs", /^(?:-[pe]+$|--eval|--print|--import|--require|-r$)/u],
  ["bun", /^(?:-e|--eval|-p|--print)$/u],
  ["deno", /^eval$/u],
  ["php", /^-[rBRE]/u],
  ["lua", /^-e/u],
  ["osascript", /^-e/u],
  ["vim", /^(?:-c|\+|--cmd|-S)/u],
  ["vi", /^(?:-c|\+|--cmd|-S)/u],
  ["nvim", /^(?:-c|\+|--cmd|-S|-l)/u],
  ["emacs", /^(?:--eval|-eval|-l|--load|-f)/u],
  ["ed", /^/u],
  ["ex", /^/u],
  ["make", /^(?:--eval|-f-|-f$|--file|--makefile)/u],
  ["gmake", /^(?:--eval|-f-|-f$|--file|--makefile)/u],
  ["awk", /system|\||getline/u],
  ["gawk", /system|\||getline/u],
  ["mawk", /system|\||getline/u],
  ["sed", /(?:^|[\s;{}0-9$/!])e(?:\s|$)|[/|,#:!][gpiImM0-9]*e[gpiImM0-9]*(?:[;}\s]|$)/u],
  ["tar", /^--(?:to-command|checkpoint-action|use-compress-program|rsh-command)|^-[A-Za-z]*[IF]/u],
  ["rsync", /^(?:-[A-Za-z]*e|--rsh)/u],
  [
    "git",
    /^(?:-c$|--config-env|--exec-path=|--upload-pack|--receive-pack|-x$|--exec$|--exec=|--extcmd|--tool|foreach$|bisect$|filter-branch$|difftool$|mergetool$|--open-files-in-pager|-O)/u,
  ],
]);
/** Programs that read code from their input when they are given none. */
const READS_CODE = /^(?:python|perl|ruby|node|nodejs|php|lua)$/u;

/** Whether a program is given code, or settings that are commands, in its arguments or its input. */
export function runsCodeOf(program: string, words: readonly ShellWord[]): boolean {
  const name = program.replace(/(?<=^python|^perl|^ruby|^php|^lua)[\d.]+$/u, "");
  const args = words.slice(1);
  if (name === "git" && runsByGitLetter(args)) return true;
  const option = CODE_OPTIONS.get(name);
  if (option !== undefined && args.some(({ text }) => option.test(text))) return true;
  return READS_CODE.test(name) && args.every(({ text, exact }) => exact && NO_FILE.test(text));
}

/** Letters by which subcommands of git run a program, alone or in a cluster; elsewhere the same letters are harmless. */
const GIT_LETTERS: ReadonlyMap<string, string> = new Map([
  ["clone", "u"],
  ["rebase", "x"],
  ["grep", "O"],
]);

function runsByGitLetter(args: readonly ShellWord[]): boolean {
  return [...GIT_LETTERS].some(([subcommand, letter]) => {
    const at = args.findIndex(({ text }) => text === subcommand);
    const cluster = new RegExp(`^-[A-Za-z]*${letter}`, "u");
    return at !== -1 && args.slice(at + 1).some(({ text }) => cluster.test(text));
  });
}
