/** Hides secrets in a text; the same text back when it holds none. */
export type Redactor = (text: string) => string;

const HIDDEN = "[hidden]";
/** Shorter texts occur in prose by chance. */
const MIN_SECRET_CHARS = 8;

/** @param secrets exact texts that must not appear; those shorter than eight characters are left alone */
export function createRedactor(secrets: readonly string[] = []): Redactor {
  const known = secrets.filter(({ length }) => length >= MIN_SECRET_CHARS);
  return (text) => known.reduce((clean, secret) => clean.replaceAll(secret, HIDDEN), text);
}
