import { printable } from "../terminal/printable.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { wrap } from "../terminal/wrap.ts";
import type { Check, CheckStatus } from "./check.ts";

const INDENT = " ".repeat(7);

/** A finding and, where there is one, what to do. */
export function checkLines({ colours, width }: Terminal, found: Check): string[] {
  const { status, message, remedy } = found;
  const paint: Record<CheckStatus, (text: string) => string> = {
    ok: colours.green,
    note: colours.yellow,
    wrong: colours.red,
  };
  const [first = "", ...more] = wrap(printable(message), width, INDENT);
  return [
    `${paint[status](status.padEnd(INDENT.length - 1))} ${first.trimStart()}`,
    ...more,
    ...(remedy ?? "")
      .split("\n")
      .flatMap((line) => wrap(printable(line), width, INDENT))
      .map(colours.dim),
  ];
}
