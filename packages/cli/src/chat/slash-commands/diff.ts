import type { FileDiff, SessionEvent } from "@acumen/agent";
import { changeLines } from "../chat-lines.ts";
import type { SlashCommand } from "./slash-command.ts";

const LINES_OF_A_FILE = 400;

export const diffCommand: SlashCommand = {
  name: "diff",
  summary: "what this session changed in files",
  run: ({ session, terminal, print }) => {
    const changes = changesIn(session.events);
    print(
      ...(changes.length === 0 ? ["This session changed no file through its tools."] : []),
      ...changes.flatMap((change) => changeLines(change, terminal, LINES_OF_A_FILE)),
    );
    return Promise.resolve(undefined);
  },
};

/** From what each file was first to what the session left it as; what was undone is left out. */
function changesIn(events: readonly SessionEvent[]): FileDiff[] {
  const seqOf = new Map<string, number>();
  let changes: { readonly seq: number; readonly diff: FileDiff }[] = [];
  for (const { type, payload, seq } of events) {
    if (type === "TOOL_CALL") seqOf.set(payload.call_id, seq);
    if (type === "FILES_RESTORED") changes = changes.filter((one) => one.seq < payload.to_seq);
    if (type !== "TOOL_RESULT" || payload.status !== "completed") continue;
    const own = seqOf.get(payload.call_id) ?? seq;
    changes.push(...payload.diff.map((diff) => ({ seq: own, diff })));
  }
  const files = new Map<string, FileDiff>();
  for (const { diff } of changes) {
    const first = files.get(diff.path) ?? diff;
    files.set(diff.path, { ...diff, old_text: first.old_text });
  }
  return [...files.values()].filter(({ old_text: old, new_text: text }) => old !== text);
}
