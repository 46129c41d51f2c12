import type { z } from "zod";
import { ValidationError, type ValidationIssue } from "../errors/domain-error.ts";

/** @throws ValidationError whose issues carry the path below `params` and what was expected */
export function parseParams<Params extends z.ZodType>(
  operation: string,
  schema: Params,
  params: unknown,
): z.output<Params> {
  const parsed = schema.safeParse(params);
  if (parsed.success) return parsed.data;
  throw invalid(`The parameters of ${operation} are not valid`, parsed.error);
}

/** One issue for each place; an unknown key's place is the key itself. */
export function invalid(what: string, { issues }: z.ZodError): ValidationError {
  const found = issues.flatMap((issue) => {
    const path = issue.path.filter((part) => typeof part !== "symbol");
    if (issue.code === "unrecognized_keys") {
      return issue.keys.map((key) => ({ path: [...path, key], message: "unknown key" }));
    }
    return [{ path, message: issue.message }];
  });
  return invalidAt(what, found);
}

/** What was sent may be large, and have very many faults; the answer is not. */
export function invalidAt(what: string, issues: readonly ValidationIssue[]): ValidationError {
  const shown = issues.slice(0, MOST_ISSUES).map(({ path, message }) => ({
    path: path.map((part) => (typeof part === "string" ? part.slice(0, SHOWN_KEY) : part)),
    message,
  }));
  const [first] = shown;
  const place = first === undefined || first.path.length === 0 ? "" : `${first.path.join(".")}: `;
  const more = issues.length > 1 ? ` (and ${issues.length - 1} more)` : "";
  return new ValidationError(`${what}: ${place}${first?.message ?? ""}${more}.`, shown);
}

const MOST_ISSUES = 100;
const SHOWN_KEY = 200;
