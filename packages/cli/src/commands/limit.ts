import { InvalidArgumentError } from "commander";

const MAX_LIMIT = 20_000;

/** Reads `--limit`. */
export function limitOf(text: string): number {
  const limit = Number(text);
  if (!/^\d+$/.test(text) || limit < 1 || limit > MAX_LIMIT) {
    throw new InvalidArgumentError(`It must be a whole number from 1 to ${MAX_LIMIT}.`);
  }
  return limit;
}
