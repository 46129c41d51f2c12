import type { Mend } from "./mended-answer.ts";

const LINE = /([^\r\n]*)(\r\n|\r|\n|$)/gy;

/** Replaces what the messages of whole events hold; everything else stays as it was written. */
export function mendedEvents(text: string, mend: Mend): string {
  let result = "";
  let from = 0;
  let data: string[] = [];
  let rest: string[] = [];
  for (const { 0: whole, 1: line = "", index } of text.matchAll(LINE)) {
    if (whole === "") break;
    const end = index + whole.length;
    if (line !== "") {
      (line === "data" || line.startsWith("data:") ? data : rest).push(line);
      continue;
    }
    const mended =
      data.length > 0 && isMessage(rest) ? mend(data.map(valueOf).join("\n")) : undefined;
    result += mended === undefined ? text.slice(from, end) : written(rest, mended);
    from = end;
    data = [];
    rest = [];
  }
  return result + text.slice(from);
}

function isMessage(lines: readonly string[]): boolean {
  const name = lines.findLast((line) => line.startsWith("event:"));
  return name === undefined || ["", "message"].includes(valueOf(name));
}

/** Behind the colon and the one space that may follow it. */
function valueOf(line: string): string {
  const value = line.slice(line.indexOf(":") + 1);
  if (!line.includes(":")) return "";
  return value.startsWith(" ") ? value.slice(1) : value;
}

/** The id and the like belong to the last message: whoever goes on behind it has heard all of them. */
function written(rest: readonly string[], messages: readonly string[]): string {
  return messages
    .map((message, index) => {
      const isLast = index === messages.length - 1;
      return [...(isLast ? rest : []), `data: ${message}`, "", ""].join("\n");
    })
    .join("");
}
