import { cliError } from "../errors.ts";

const UNITS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

/**
 * `90d`, `12h`, `30m` from now, or a date as ISO 8601.
 * @throws CLI_USAGE
 */
export function expiryOf(text: string, now: Date): Date {
  const [, count = "", unit = ""] = /^(\d{1,6})([mhd])$/.exec(text) ?? [];
  const span = UNITS[unit];
  const end = span === undefined ? new Date(text) : new Date(now.getTime() + Number(count) * span);
  const isDate = span !== undefined || /^\d{4}-\d{2}-\d{2}/.test(text);
  if (isDate && end > now) return end;
  throw cliError(
    "CLI_USAGE",
    `${JSON.stringify(text)} is no time to come; write 90d, 12h, 30m or a date such as 2027-01-31.`,
  );
}
