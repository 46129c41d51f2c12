import { runsCodeOf, shellCall } from "./interpreters.ts";
import { programName } from "./program-name.ts";
import { reachOfOptions } from "./program-options.ts";
import { exactWord, type ShellWord } from "./shell-word.ts";
import { executedByFind, type Inner, wrapped } from "./wrappers.ts";

/** Programs whose first word is a subcommand: an option before it changes what the subcommand does. */
const SUBCOMMANDS: ReadonlySet<string> = new Set(
  (
    "git npm pnpm yarn bun deno npx cargo rustup go docker podman kubectl helm terraform gh glab aws az gcloud pip pip3 uv poetry " +
    "pipenv hatch rye conda mamba brew apt apt-get dnf yum pacman systemctl service make gmake just task mvn gradle gradlew mvnw " +
    "sbt dotnet composer bundle gem rake mix flutter dart swift zig svn hg jj tsx ng nx turbo lerna rush vercel netlify fly heroku " +
    "wrangler prisma drizzle-kit alembic django-admin flask rails php artisan ansible vagrant nix nix-env snap flatpak openssl redis-cli"
  ).split(" "),
);
/** Programs without subcommands, whose options may stand anywhere. */
const PLAIN: ReadonlySet<string> = new Set(
  (
    "ls cat head tail wc grep egrep fgrep rg ag fd find sort uniq cut tr diff cmp comm echo printf mkdir rmdir rm cp mv ln touch " +
    "chmod chown stat file tree du df pwd date sed awk gawk jq yq tsc eslint oxlint prettier oxfmt biome vitest jest mocha ava " +
    "pytest mypy pyright black isort flake8 pylint node python python3 ruby perl curl wget ps which whoami uname hostname " +
    "basename dirname realpath readlink tee sleep test true false seq nl rev paste column less more tar zip unzip gzip gunzip " +
    "shellcheck shfmt clang-format gofmt rustfmt rustc gcc g++ clang clang++ cmake ninja ctest javac java rsync split man"
  ).split(" "),
);
const MAX_DEPTH = 8;
const RUNS_PROGRAMS = /^(?:exec|x|dlx)$/u;
/** Programs that run the program which is named behind a subcommand. */
const LAUNCHERS: ReadonlyMap<string, RegExp> = new Map([
  ...["npm", "pnpm", "yarn", "bun", "bundle"].map((name) => [name, RUNS_PROGRAMS] as const),
  ...["uv", "poetry", "pipenv", "hatch", "rye", "pdm"].map((name) => [name, /^run$/u] as const),
]);

/**
 * How many of a simple command's words an allow rule has to spell, so that nothing rides on its `*`: the subcommand behind
 * options, every program that another one runs, every option that runs or loads something. Infinite where no rule can cover the
 * command.
 */
export function spelledWords(words: readonly string[]): number {
  return spelled(words.map(exactWord), 0);
}

function spelled(words: readonly ShellWord[], depth: number): number {
  const [first] = words;
  if (first === undefined || depth > MAX_DEPTH) return Number.POSITIVE_INFINITY;
  const program = programName(first.text);
  const whole = words.length;
  const call = shellCall(program, words, undefined);
  if (call !== undefined) return call.file.length > 0 ? whole - call.file.length + 1 : whole;
  if (runsCodeOf(program, words)) return whole;
  const launched = launchedAt(program, words);
  if (launched === undefined) return whole;
  if (launched > 0) return launched + spelledAtLeast(words.slice(launched), depth);
  const inner = wrapped(program, words);
  if (inner?.anywhere === true) return whole;
  const programs = innerPrograms(program, words, inner);
  const reaches = programs.map((one) => one.at + spelledAtLeast(one.command, depth));
  // The options of a program that runs another one stand before that one, which is spelled.
  if (inner?.command !== undefined) return Math.max(0, ...reaches);
  return Math.max(behindOptions(program, words), reachOfOptions(program, words), ...reaches);
}

/** Where the program stands that is run by a subcommand; 0: there is none; undefined: it cannot be told. */
function launchedAt(program: string, words: readonly ShellWord[]): number | undefined {
  const module = /^python[\d.]*$/u.test(program)
    ? words.findIndex(({ text }, index) => index > 0 && text === "-m") + 1
    : 0;
  if (module > 0 && module < words.length) return module;
  const subcommand = words[1]?.text ?? "";
  if (LAUNCHERS.get(program)?.test(subcommand) !== true) {
    // `cp x y`: what programs without subcommands name is an operand.
    return RUNS_PROGRAMS.test(subcommand) && !PLAIN.has(program) ? undefined : 0;
  }
  const at = words[2]?.text === "--" ? 3 : 2;
  const first = words[at]?.text;
  return first === undefined || first.startsWith("-") ? undefined : at;
}

function innerPrograms(
  program: string,
  words: readonly ShellWord[],
  inner: Inner | undefined,
): ReturnType<typeof executedByFind> {
  if (program === "find") return executedByFind(words);
  return inner?.command === undefined ? [] : [{ at: inner.at ?? 0, command: inner.command }];
}

/** The program itself at least. */
function spelledAtLeast(words: readonly ShellWord[], depth: number): number {
  return words.length === 0 ? 0 : Math.max(1, spelled(words, depth + 1));
}

function behindOptions(program: string, words: readonly ShellWord[]): number {
  if (!words[1]?.text.startsWith("-") || PLAIN.has(program)) return 0;
  if (SUBCOMMANDS.has(program)) return Number.POSITIVE_INFINITY;
  const subcommand = words.findIndex(({ text }, index) => index > 0 && !text.startsWith("-"));
  return subcommand + 1;
}
