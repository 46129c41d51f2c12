import { z } from "zod";
import { textBlock } from "../content/content-block.ts";
import { defineTool } from "./define-tool.ts";
import type { Tool } from "./tool.ts";

const MAX_ENTRIES = 50;
const MAX_ENTRY_CHARS = 500;

const schema = z.strictObject({
  entries: z
    .array(
      z.strictObject({
        content: z
          .string()
          .trim()
          .min(1)
          .max(MAX_ENTRY_CHARS)
          .describe("What is to be done, in one line."),
        status: z.enum(["pending", "in_progress", "completed"]),
        priority: z.enum(["high", "medium", "low"]).exactOptional(),
      }),
    )
    .max(MAX_ENTRIES)
    .describe("The whole plan, in order; it replaces the one before. Empty: no plan any more."),
});

/** The plan that whoever watches sees; the runtime records what this tool returns in `plan`. */
export function createUpdatePlanTool(): Tool {
  return defineTool({
    name: "update_plan",
    description:
      "Show the user the steps of the work and how far it is. Send the whole plan each time. Use it for work of three " +
      "steps or more; keep exactly one entry in_progress while you work, and mark an entry completed as soon as it is done.",
    schema,
    kind: "think",
    risk: "read",
    prepare: ({ entries }) => {
      const title = `Plan: ${count(entries.length, "entry", "entries")}`;
      return Promise.resolve({
        ok: true,
        preview: { title, risk: "read", subject: { type: "none" }, locations: [], diff: [] },
        run: () =>
          Promise.resolve({
            status: "completed",
            output: [textBlock(summary(entries))],
            plan: entries,
          }),
      });
    },
  });
}

function summary(entries: z.output<typeof schema>["entries"]): string {
  if (entries.length === 0) return "The plan is empty now.";
  const having = (status: string): number =>
    entries.filter((entry) => entry.status === status).length;
  const running = having("in_progress");
  const state = `${having("completed")} completed, ${running} in progress, ${having("pending")} pending`;
  const advice = running > 1 ? " Keep at most one entry in_progress: the one you work on." : "";
  return `The plan has ${count(entries.length, "entry", "entries")}: ${state}.${advice}`;
}

function count(number: number, one: string, many: string): string {
  return `${number} ${number === 1 ? one : many}`;
}
