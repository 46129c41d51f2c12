/** Each list is one option in all its spellings; a spelling without a dash is how an operand begins that means the same. */
const COREUTILS = [
  "-r -R --recursive",
  "-f --force",
  "-i --interactive",
  "-d --dir",
  "-v --verbose",
  "-n --no-clobber",
  "-a --archive",
];
const ALIASES: ReadonlyMap<string, readonly string[]> = new Map([
  ["rm", COREUTILS],
  ["chmod", ["-R --recursive", "-f --silent --quiet", "-v --verbose"]],
  ["chown", ["-R --recursive", "-f --silent --quiet", "-h --no-dereference", "-v --verbose"]],
  ["chgrp", ["-R --recursive", "-f --silent --quiet", "-h --no-dereference", "-v --verbose"]],
  // An archive is copied with all that is in it.
  ["cp", ["-r -R --recursive -a --archive", ...COREUTILS.slice(1)]],
  ["mv", COREUTILS],
  ["ln", ["-s --symbolic", ...COREUTILS.slice(1)]],
  [
    "git",
    [
      // `git push origin +main`, `git push origin :main`, `git branch -D`
      "-f --force + -D -M -C",
      "-d --delete : -D",
      "-D -d --delete",
      "-n --no-verify --dry-run",
      "-a --all",
      "-A --all",
      "-r --recursive --remotes",
      "-u --set-upstream --include-untracked",
      "-m --message --move",
      "-S --gpg-sign",
      "-q --quiet",
      "-i --interactive",
    ],
  ],
]);

/** The spellings of an option of these programs, itself first. */
export function aliasesOf(programs: readonly string[]): (option: string) => readonly string[] {
  const lists = programs
    .flatMap((program) => ALIASES.get(program) ?? [])
    .map((list) => list.split(" "));
  return (option) => [option, ...lists.filter((list) => list.includes(option)).flat()];
}
