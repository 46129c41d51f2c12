/** Options of a program by which it runs or loads what the option names. */
export interface ProgramOptions {
  /** Long names without dashes; also begun ones count, and those with one dash. */
  readonly long: readonly string[];
  /** Letters, alone or in a cluster. */
  readonly short: string;
  /** Words that are no options of this kind, yet do the same. */
  readonly words?: RegExp;
}

type Row = readonly [programs: string, long: string, short?: string, words?: RegExp];

const table = (rows: readonly Row[]): ReadonlyMap<string, ProgramOptions> =>
  new Map(
    rows.flatMap(([programs, long, short = "", words]) =>
      listOf(programs).map((program) => [
        program,
        { long: listOf(long), short, ...(words !== undefined && { words }) },
      ]),
    ),
  );

function listOf(names: string): readonly string[] {
  return names.split(" ").filter(Boolean);
}

/** The option's value is a program or a command line: deny and ask rules cannot see what runs. */
export const RUNS_PROGRAM: ReadonlyMap<string, ProgramOptions> = table([
  ["fd fdfind", "exec exec-batch", "xX"],
  ["rg", "pre hostname-bin"],
  ["ag ack bat", "pager"],
  ["sort", "compress-program"],
  ["split gsplit", "filter"],
  ["diff3 sdiff", "diff-program"],
  ["go", "exec toolexec vettool ldflags gccgoflags"],
  ["cargo", "config", "Z"],
  [
    "make gmake",
    "eval file makefile",
    "fE",
    /^(?:SHELL|\.SHELLFLAGS|[A-Z_]*(?:CC|CXX|CPP|LD|AR|AS|RM|FC|SH|PYTHON|EDITOR|CMD|COMMAND))[:+?!]*=/u,
  ],
  [
    "gcc g++ cc c++ clang clang++ gfortran",
    "wrapper",
    "",
    /^(?:-wrapper|-B|-specs|--specs|-fplugin|-fuse-ld=\/|--ld-path|-ccc|@)/u,
  ],
  ["zip", "unzip-command", "", /^-[A-Za-z]*TT/u],
  ["wget", "use-askpass execute", "e"],
  [
    "tar gtar bsdtar",
    "to-command checkpoint-action use-compress-program rsh-command rmt-command info-script new-volume-script",
    "IF",
  ],
  ["rsync", "rsh rsync-path remote-option", "eM"],
  ["ssh scp sftp", "", "oFSI", /ProxyCommand|LocalCommand/iu],
  ["man", "pager html preprocessor", "PHp"],
  ["less more most", "lesskey-file lesskey-src lesskey-content", "k", /^\+.*[!|]/u],
  [
    "git",
    "ext-diff textconv open-files-in-pager upload-pack receive-pack extcmd config-env exec-path sendmail-cmd to-cmd cc-cmd header-cmd smtp-server",
    "",
    /^(?:ext|fd)::/u,
  ],
  ["npm pnpm yarn npx bun bunx", "script-shell shell call git editor viewer node-gyp"],
  ["just", "shell shell-arg"],
  ["prove", "exec", "e"],
  ["tcpdump", "", "z"],
  ["nc ncat netcat", "exec sh-exec lua-exec", "ec"],
  ["socat", "", "", /exec|system/iu],
  ["sqlite3", "", "", /\.(?:shell|system|load|import)|load_extension/iu],
  ["psql", "", "", /\\[!o|g]|\bprogram\b/iu],
  ["mysql mariadb", "pager", "", /\\!|\bsystem\b/iu],
  ["awk gawk mawk", "load exec", "lE", /@/u],
  ["rustc", "", "", /linker|^@/u],
  ["java", "", "", /OnError|OnOutOfMemory/u],
]);

const NPM =
  "prefix node-options userconfig globalconfig init-module onload-script cache package python nodedir registry dir cwd use-node-version use-yarnrc modules-folder";
/** Not abbreviated either. */
const NODE = new RegExp(
  `^--(?:require|import|loader|experimental-[\\w-]+|test-reporter|test-global-setup|env-file|env-file-if-exists|snapshot-blob|build-snapshot|run|openssl-config|icu-data-dir)(?==|$)`,
  "u",
);

/** Of test runners, behind whatever starts them. They are not abbreviated. */
const RUNNER = new RegExp(
  `^--(?:[\\w-]+\\.)?(?:${listOf(
    "config preset root dir rootDir projects project runner testRunner environment testEnvironment setupFiles setupFilesAfterEnv globalSetup globalTeardown transform resolver moduleNameMapper modulePaths roots haste snapshotSerializers watchPlugins prettierPath coverageProvider reporters pool workspace customProviderModule typecheck browser file ui opts package node-option node-arguments exec-argv require import loader env-file processors pdbcls override-ini rootdir confcutdir tx rsyncdir basetemp init-hook load-plugins",
  ).join("|")})(?=[=.]|$)`,
  "u",
);

/**
 * The option's value is code, a file of settings, a place where such files are, or a place of files that are overwritten (what
 * compilers write aside): an allow rule has to spell it as well. What these do is as unknown as what a script does, so that deny and ask rules leave it alone.
 */
export const LOADS_CODE: ReadonlyMap<string, ProgramOptions> = table([
  ["npm pnpm yarn npx bun bunx", NPM, "CcrRup", RUNNER],
  ["vitest jest mocha ava tap tsx playwright cypress karma wtr c8 nyc", "", "crRupC", RUNNER],
  ["pytest", "", "pcoW", RUNNER],
  [
    "git",
    "template config separate-git-dir git-dir work-tree output output-directory no-index",
    "o",
    /^(?:config|hook|[a-z][a-z0-9+.-]*::.*)$/iu,
  ],
  ["find", "delete fprint fprint0 fprintf fls"],
  ["go", "gcflags asmflags overlay modfile pkgdir C w", "", /^env$/u],
  ["cargo", "manifest-path target", "C"],
  ["make gmake", "directory include-dir environment-overrides", "CIe", /=/u],
  ["just task ninja", "justfile working-directory taskfile dir set", "fdtC", /=/u],
  ["cmake ctest", "toolchain script build-and-test", "PDCETGS", /=/u],
  [
    "gcc g++ cc c++ clang clang++ gfortran",
    "gcc-toolchain sysroot load-pass-plugin",
    "",
    /^-(?:Wl,|Xlinker|Xclang|fuse-ld|fpass-plugin|Wa,|Wp,)/u,
  ],
  ["rustc", "codegen sysroot extern", "CZL"],
  ["javac", "", "", /^(?:-processor|--processor|-J|@|-proc|-cp|-classpath|--class-path|--module)/u],
  ["java", "", "", /^(?:-javaagent|-agent|-cp|-classpath|--class-path|-jar|--module|-p$|@|-XX)/u],
  [
    "curl",
    "engine proxy-ca output output-dir remote-name remote-name-all dump-header trace trace-ascii stderr cookie-jar",
    "KoOJDc",
  ],
  ["wget", "output-document directory-prefix output-file append-output input-file", "OPoai"],
  ["sort", "output", "o"],
  ["less more most", "log-file", "oO"],
  ["tree", "", "o"],
  ["ruby rake rspec", "rakefile options default-path libdir", "rICSfR"],
  ["perl", "", "MmId"],
  ["python", "", "m"],
  ["php", "define zend-extension php-ini server", "dzcfS"],
  ["lua luajit", "", "l"],
  ["node nodejs", "", "rC", NODE],
  ["deno", "config import-map preload", "cr"],
  ["awk gawk mawk", "file include", "fi"],
  ["sed", "file", "f"],
  ["jq yq", "from-file library-path", "fL"],
  ["mypy pyright", "config-file python-executable pythonpath custom-typeshed-dir install-types"],
  ["pylint flake8 black isort", "rcfile init-hook load-plugins append-config", ""],
  [
    "eslint oxlint biome prettier oxfmt",
    "config rulesdir plugin resolve-plugins-relative-to parser parser-options format formatter",
    "cf",
  ],
  [
    "docker podman",
    "volume mount privileged entrypoint device pid cap-add security-opt volumes-from userns ipc network env-file config host context file secret ssh",
    "vHcf",
  ],
  ["kubectl helm", "kubeconfig filename values post-renderer", "f"],
  ["pip", "python target prefix root global-option config-settings index-url editable", "eCt"],
  ["apt apt-get", "option config-file", "oc"],
  [
    "gradle gradlew",
    "init-script build-file settings-file project-dir include-build gradle-user-home",
    "IbcDPgp",
  ],
  ["mvn mvnw", "file settings global-settings toolchains", "fst", /^-D.*(?:[/\\]|exec|command)/iu],
  ["composer phpunit", "bootstrap configuration printer extension working-dir", "cd"],
  ["dotnet", "settings collect test-adapter-path logger", "sl", /^[-/]p(?:roperty)?:/u],
  ["man", "config-file", "C"],
  ["sqlite3", "cmd init", "", /^\./u],
  ["psql", "file", "f"],
  ["tsc tsgo", ""],
]);

/** Programs whose options run, load and overwrite nothing but what their operands say. */
export const HARMLESS_OPTIONS: ReadonlySet<string> = new Set(
  listOf(
    "ls cat head tail wc grep egrep fgrep uniq cut tr diff cmp comm echo printf mkdir rmdir rm cp mv ln touch chmod chown stat file " +
      "tree du df pwd date basename dirname realpath readlink tee sleep test true false seq nl rev paste column ps which whoami " +
      "uname hostname gzip gunzip unzip tsc tsgo",
  ),
);

/** Parts of option names that tell of something that runs. */
export const TELLING_NAMES: ReadonlySet<string> = new Set(
  listOf(
    "exec execute shell command cmd pre wrapper toolexec program config cfg rcfile plugin require import loader preload reporter " +
      "use filter proxy hook runner setup init eval script askpass pager editor launcher preset resolver transform",
  ),
);
