/** Shorter texts occur in prose by chance. */
const MIN_SECRET_CHARS = 8;

/**
 * Every text by which a secret may appear: itself, percent-encoded, escaped as in JSON, and as Base64 (both alphabets),
 * also when it stands at any place of a longer encoded text. Longest first. Secrets of less than eight characters have none.
 */
export function secretForms(secrets: readonly string[]): readonly string[] {
  const forms = secrets
    .flatMap((secret) => [secret, secret.trim()])
    .filter(({ length }) => length >= MIN_SECRET_CHARS)
    .flatMap((secret) => [
      secret,
      percentEncoded(secret),
      new URLSearchParams([["", secret]]).toString().slice(1),
      JSON.stringify(secret).slice(1, -1),
      ...base64Forms(secret),
    ]);
  return [...new Set(forms)].toSorted((one, other) => other.length - one.length);
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
