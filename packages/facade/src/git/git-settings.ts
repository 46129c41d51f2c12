/** One setting of git: its name and its value. */
export type GitSetting = readonly [key: string, value: string];

/** Goes before what a repository's own configuration says: nothing of it names a program that runs. */
export const SAFE_SETTINGS: readonly GitSetting[] = [
  ["core.hooksPath", "/dev/null"],
  ["core.fsmonitor", "false"],
  ["core.attributesFile", "/dev/null"],
  ["core.excludesFile", "/dev/null"],
  ["core.sshCommand", "false"],
  ["core.gitProxy", "none"],
  ["core.askPass", "false"],
  ["core.editor", "false"],
  ["core.pager", "cat"],
  ["core.protectHFS", "true"],
  ["core.protectNTFS", "true"],
  ["core.quotePath", "false"],
  ["credential.helper", ""],
  ["commit.gpgSign", "false"],
  ["tag.gpgSign", "false"],
  ["log.showSignature", "false"],
  ["gpg.program", "false"],
  ["gpg.ssh.program", "false"],
  ["gpg.x509.program", "false"],
  ["merge.verifySignatures", "false"],
  ["merge.autoStash", "false"],
  ["merge.renormalize", "false"],
  ["submodule.recurse", "false"],
  ["diff.ignoreSubmodules", "all"],
  ["diff.external", ""],
  ["protocol.allow", "never"],
  ["protocol.file.allow", "never"],
  ["protocol.ext.allow", "never"],
  ["fetch.recurseSubmodules", "false"],
  ["gc.auto", "0"],
  ["maintenance.auto", "false"],
  ["advice.graftFileDeprecated", "false"],
  ["safe.directory", "*"],
];

/** Only for repositories of ours: bytes stay as they are. */
export const OWN_SETTINGS: readonly GitSetting[] = [
  ["core.autocrlf", "false"],
  ["core.eol", "lf"],
  ["core.safecrlf", "false"],
  ["core.symlinks", "true"],
  ["core.fileMode", "true"],
  ["core.ignoreCase", "false"],
  ["core.precomposeUnicode", "false"],
  ["core.bigFileThreshold", "512m"],
];

/** Settings of a repository that name a program, by kind, and what goes before them. */
const PROGRAMS: readonly (readonly [RegExp, string])[] = [
  [/^filter\..+\.(?:clean|smudge|process)$/s, ""],
  [/^filter\..+\.required$/s, "false"],
  [/^merge\..+\.driver$/s, "false"],
  [/^diff\..+\.(?:command|textconv)$/s, ""],
  [/^branch\..+\.mergeoptions$/s, ""],
  [/^hook\..+\.command$/s, "true"],
];

/**
 * Settings that go before the ones of a repository.
 * @param keys every key that its configuration sets
 */
export function overridesOf(keys: readonly string[]): readonly GitSetting[] {
  return [...new Set(keys)].flatMap((key) => {
    const program = PROGRAMS.find(([pattern]) => pattern.test(key));
    return program === undefined ? [] : [[key, program[1]] as const];
  });
}

/** Settings as variables: a name may hold `=` and line ends, which `-c` would take apart. */
export function settingVariables(settings: readonly GitSetting[]): Record<string, string> {
  const pairs = settings.flatMap(([key, value], index) => [
    [`GIT_CONFIG_KEY_${index}`, key],
    [`GIT_CONFIG_VALUE_${index}`, value],
  ]);
  return { ...Object.fromEntries(pairs), GIT_CONFIG_COUNT: String(settings.length) };
}
