/** A word of a command after quotes were removed. */
export interface ShellWord {
  readonly text: string;
  /** False: the shell makes something else of it (expansion, glob), perhaps several words or none. */
  readonly exact: boolean;
  /** Nothing of it was quoted, so it can be a reserved word. */
  readonly plain: boolean;
  /** Of `NAME=value`: where the value begins. */
  readonly valueAt?: number;
}

export function exactWord(text: string): ShellWord {
  return { text, exact: true, plain: false };
}

/** Stands for any words, also for none. */
export const UNKNOWN_WORD: ShellWord = { text: "", exact: false, plain: false };

/** A command as it stands in a script, without redirections and without what is inside its substitutions. */
export interface ShellCommand {
  readonly words: readonly ShellWord[];
  /** Texts of its here-documents and here-strings; undefined: it has none. */
  readonly input?: ShellWord;
}

/** Every command of a script, in whatever nesting. */
export interface ShellScript {
  readonly commands: readonly ShellCommand[];
  /** Texts that the script sets aside and could run later: values of variables, quoted substitutions. */
  readonly texts: readonly string[];
  /** Something in it cannot be read for certain. */
  readonly opaque: boolean;
}
