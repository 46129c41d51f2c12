/** UTF-8 bytes for a token: code has a little more than 3, English prose more than 4, other scripts about 3. */
const BYTES_PER_TOKEN = 3.5;

/** How `countTokens` counts, as it is named to whoever gets a context. */
export const TOKEN_COUNTER = "utf8-bytes/3.5";

/** An estimate, on the high side for prose. */
export function countTokens(text: string): number {
  return tokensOfBytes(Buffer.byteLength(text));
}

export function tokensOfBytes(bytes: number): number {
  return Math.ceil(bytes / BYTES_PER_TOKEN);
}
