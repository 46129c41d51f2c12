import { isJsonObject } from "@acumen/core";

type Headers = Readonly<Record<string, string>>;

/**
 * How long a service asks to wait, in milliseconds: `retry-after-ms`, `retry-after` in seconds or as a date, Google's
 * `RetryInfo` in the body, or the words of a rate limit. Undefined when it does not say, or says something unusable.
 */
export function retryAfterMs(
  headers: Headers | undefined,
  body: unknown,
  message: string,
  now: number = Date.now(),
): number | undefined {
  return fromHeaders(headers ?? {}, now) ?? fromBody(body) ?? fromWords(message);
}

function fromHeaders(headers: Headers, now: number): number | undefined {
  const exact = milliseconds(headers["retry-after-ms"], 1);
  if (exact !== undefined) return exact;
  const value = headers["retry-after"]?.trim();
  if (value === undefined || value === "") return undefined;
  const seconds = milliseconds(value, 1000);
  if (seconds !== undefined) return seconds;
  // `Date.parse` reads nearly anything, "-5" too; a date in HTTP begins with its weekday.
  const date = /^[A-Za-z]{3}/.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

function milliseconds(value: string | undefined, factor: number): number | undefined {
  if (value === undefined || !/^\s*\d+(?:\.\d+)?\s*$/.test(value)) return undefined;
  return Math.round(Number(value) * factor);
}

function fromBody(body: unknown): number | undefined {
  const error = isJsonObject(body) ? body["error"] : undefined;
  const details = isJsonObject(error) ? error["details"] : undefined;
  if (!Array.isArray(details)) return undefined;
  for (const detail of details as unknown[]) {
    const delay = isJsonObject(detail) ? detail["retryDelay"] : undefined;
    if (typeof delay === "string") return milliseconds(delay.replace(/s$/, ""), 1000);
  }
  return undefined;
}

/** OpenAI and its imitators: "Please try again in 1.2s", "… in 20ms". */
function fromWords(message: string): number | undefined {
  const [, amount, unit] = /\b(?:try again|retry) in (\d+(?:\.\d+)?)(ms|s)\b/i.exec(message) ?? [];
  return amount === undefined ? undefined : milliseconds(amount, unit === "ms" ? 1 : 1000);
}
