/** Shorter texts occur in prose by chance. */
const MIN_SECRET_CHARS = 8;
/** Of one line among others. */
const MIN_LINE_CHARS = 16;
const MAX_JSON_CHARS = 100_000;

/**
 * Every text by which a secret may appear: itself, with each gap made one blank, percent-encoded, escaped as in JSON, and as Base64
 * (both alphabets), also when it stands at any place of a longer encoded text; of one with several lines also each line that looks
 * like part of a key. Longest first. Secrets of less than eight characters have none.
 */
export function secretForms(secrets: readonly string[]): readonly string[] {
  const whole = secrets
    .flatMap((secret) => [secret, secret.trim()])
    .filter(({ length }) => length >= MIN_SECRET_CHARS)
    .flatMap((secret) => [
      secret,
      secret.replaceAll(/\s+/gu, " "),
      percentEncoded(secret),
      new URLSearchParams([["", secret]]).toString().slice(1),
      JSON.stringify(secret).slice(1, -1),
      ...base64Forms(secret),
    ]);
  const parts = secrets.flatMap((secret) => keyLines(secret));
  return [...new Set([...whole, ...parts])]
    .filter(({ length }) => length >= MIN_SECRET_CHARS)
    .toSorted((one, other) => other.length - one.length);
}

/** Files with keys are shown line by line, and each line of them opens something. */
function keyLines(secret: string): readonly string[] {
  const inside = jsonTexts(secret);
  if (inside === undefined && !/[\r\n]/.test(secret)) return [];
  const texts = [secret, ...(inside ?? [])];
  return texts
    .flatMap((text) => text.split(/[\r\n]+/))
    .map((line) => line.trim())
    .filter(looksLikeKey)
    .flatMap((line) => [line, percentEncoded(line)]);
}

/** Without blanks, with letters and digits: neither words nor addresses. */
function looksLikeKey(line: string): boolean {
  return (
    line.length >= MIN_LINE_CHARS &&
    /^[\w+/=.~-]+$/.test(line) &&
    /\d/.test(line) &&
    /[A-Za-z]/.test(line)
  );
}

/** Texts in a secret that is an object of JSON; undefined: it is none. */
function jsonTexts(secret: string): readonly string[] | undefined {
  if (!/^\s*[[{]/.test(secret) || secret.length > MAX_JSON_CHARS) return undefined;
  const texts: string[] = [];
  try {
    JSON.parse(secret, (_key, value: unknown) => {
      if (typeof value === "string") texts.push(value);
      return value;
    });
  } catch {
    return undefined;
  }
  return texts;
}

/** Of what the secret alone decides: at its edges a Base64 character mixes it with its neighbours. */
function base64Forms(secret: string): readonly string[] {
  const bytes = Buffer.from(secret, "utf8");
  return [0, 1, 2].flatMap((offset) => {
    const padded = Buffer.concat([Buffer.alloc(offset), bytes]);
    const skipped = Math.ceil((offset * 8) / 6);
    const whole = Math.floor((padded.length * 8) / 6);
    const core = padded.toString("base64").slice(skipped, whole);
    return [core, core.replaceAll("+", "-").replaceAll("/", "_")];
  });
}

function percentEncoded(secret: string): string {
  return encodeURIComponent(Buffer.from(secret, "utf8").toString("utf8"));
}
