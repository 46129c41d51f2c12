import type { ShellWord } from "./shell-word.ts";

const HARMLESS_OPTION =
  /^(?:-[nErsuz]+|-i(?:\.\w+)?|-[nErsuz]+i|--(?:quiet|silent|regexp-extended|in-place|null-data|separate|debug|posix|sandbox))$/u;
const SCRIPT_OPTION = /^(?:-[nErsuz]*e|--expression)$/u;
const ADDRESS = String.raw`(?:\d+|\$|/(?:[^/\\]|\\.)*/)`;
/** Lines that are printed or left out, or one replacement: whatever else a script does is not looked into. */
const HARMLESS_SCRIPT = new RegExp(
  String.raw`^(?:${ADDRESS}(?:,${ADDRESS})?)?!?(?:[pdq=]|s([/|,#:!@])(?:(?!\1)[^\\\n]|\\[^\n])*\1(?:(?!\1)[^\\\n]|\\[^\n])*\1[gpiI0-9]*)$`,
  "u",
);

/** Whether a script of `sed` may run commands or write files, or cannot be told from one. */
export function sedRuns(program: string, words: readonly ShellWord[]): boolean {
  if (program !== "sed" && program !== "gsed") return false;
  const args = words.slice(1).map(({ text }) => text);
  const scripts: string[] = [];
  const operands: string[] = [];
  for (let at = 0; at < args.length; at += 1) {
    const text = args[at] ?? "";
    if (SCRIPT_OPTION.test(text)) {
      at += 1;
      scripts.push(args[at] ?? "");
    } else if (!text.startsWith("-")) operands.push(text);
    else if (!HARMLESS_OPTION.test(text)) return true;
  }
  if (scripts.length === 0) scripts.push(...operands.slice(0, 1));
  return !scripts.every((script) => HARMLESS_SCRIPT.test(script));
}
