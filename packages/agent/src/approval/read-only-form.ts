import { secretNameRule } from "../workspace/path-policy.ts";

/** A path that leaves the folder, with which `git diff` reads any file of the machine. */
const OUTSIDE = /^\/|(?:^|\/)\.\.(?:\/|$)/u;
/** `revision:path` is one file as it was, `:(…)` and globs may name any. */
const CHOOSES_FILES = /[:*?[\]]/u;
/** Options that neither write, nor run a program, nor read another file; everything else is not of the form. */
const GIT_OPTIONS =
  /^(?:--(?:stat|shortstat|numstat|name-only|name-status|cached|staged|short|branch|porcelain|oneline|graph|decorate|all|no-color|no-ext-diff|no-textconv|patch|no-patch|summary|word-diff|ignore-all-space|no-renames|no-merges|merges|first-parent|reverse|ahead-behind|show-stash|untracked-files|untracked-files=(?:no|normal|all)|stat=\d+|unified=\d+|max-count=\d+|abbrev-commit)|-[abpsuwz]|-\d+|-[nU]\d+|--)$/u;
const LS_OPTIONS =
  /^(?:-[A-Za-z1]+|--(?:all|almost-all|recursive|reverse|human-readable|size|inode|directory|classify|full-time))$/u;
const FORMS: readonly {
  readonly form: string;
  readonly options: RegExp;
  readonly anywhere?: true;
}[] = [
  { form: "git status", options: GIT_OPTIONS },
  { form: "git diff", options: GIT_OPTIONS },
  { form: "git log", options: GIT_OPTIONS },
  { form: "git show", options: GIT_OPTIONS },
  { form: "ls", options: LS_OPTIONS, anywhere: true },
  { form: "pwd", options: /^-[LP]$/u },
];

/**
 * The read-only form that a simple command is of, such as `git diff`; undefined when it is of none, or when an option or path
 * makes it do more than the form says.
 */
export function readOnlyForm(words: readonly string[]): string | undefined {
  const found = FORMS.find(({ form }) => words.slice(0, form.split(" ").length).join(" ") === form);
  if (found === undefined) return undefined;
  const rest = words.slice(found.form.split(" ").length);
  const harmless = rest.every((word) => {
    if (word.startsWith("-")) return found.options.test(word);
    return found.anywhere || !(OUTSIDE.test(word) || CHOOSES_FILES.test(word) || isSecret(word));
  });
  return harmless ? found.form : undefined;
}

function isSecret(path: string): boolean {
  return secretNameRule(`/${path}`) !== undefined;
}
