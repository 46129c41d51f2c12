import picomatch from "picomatch";
import type { SearchPattern } from "./match-worker.ts";

const MAX_PATTERN_CHARS = 2000;
/** Only with this flag JavaScript knows these escapes; only without it, it takes escapes that are not needed. */
const UNICODE_ESCAPE = /\\(?:[pP]|u)\{/;

export type Compiled =
  | { readonly ok: true; readonly pattern: SearchPattern }
  | { readonly ok: false; readonly message: string };

/** A regular expression of JavaScript; a leading `(?i)`, as other dialects write it, is understood. */
export function compileRegex(source: string, ignoreCase: boolean): Compiled {
  if (source.length > MAX_PATTERN_CHARS) return tooLong("regular expression", source);
  const bare = source.replace(/^\(\?i\)/, "");
  const flags = `${ignoreCase || bare !== source ? "i" : ""}${UNICODE_ESCAPE.test(bare) ? "u" : ""}`;
  try {
    return { ok: true, pattern: { source: new RegExp(bare, flags).source, flags } };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return {
      ok: false,
      message: `The pattern is no regular expression of JavaScript: ${reason}. Put a backslash before characters such as ( [ { * + ? that are meant as they are.`,
    };
  }
}

/** A glob over paths with slashes, relative to where a search begins; also for names that begin with a dot. */
export function compileGlob(glob: string): Compiled {
  if (glob.length > MAX_PATTERN_CHARS) return tooLong("glob", glob);
  const parts = glob.split("/");
  if (glob.startsWith("/") || parts.includes(".."))
    return {
      ok: false,
      message: `The glob ${glob} leads out of the folder that is searched; give that folder as path and a glob relative to it.`,
    };
  try {
    const regex = picomatch.makeRe(glob.replace(/^(?:\.\/)+/, ""), { dot: true, nonegate: true });
    return { ok: true, pattern: { source: regex.source, flags: regex.flags } };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { ok: false, message: `The glob ${glob} cannot be used: ${reason}.` };
  }
}

function tooLong(what: string, pattern: string): Compiled {
  return {
    ok: false,
    message: `The ${what} has ${pattern.length} characters; at most ${MAX_PATTERN_CHARS} are taken.`,
  };
}
