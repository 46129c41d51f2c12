/** ULIDs as they are made here: 26 characters of Crockford's alphabet, so nothing that means anything in a path. */
const ULID = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/;

export function isSessionId(text: string): boolean {
  return ULID.test(text);
}
