import { z } from "zod";

export const DEFAULT_TIMEOUT_MS = 120_000;
export const MAX_TIMEOUT_MS = 600_000;
/** The system refuses longer ones. */
const MAX_COMMAND_BYTES = 100_000;
const MAX_INPUT_CHARS = 64 * 1024;
const DEFAULT_LOG_CHARS = 16 * 1024;
const MAX_LOG_CHARS = 48 * 1024;

const ACTIONS = ["exec", "start", "status", "logs", "write", "stop", "list"] as const;

export const bashSchema = z.strictObject({
  command: z.string().exactOptional().describe("For exec and start: run by the shell."),
  action: z.enum(ACTIONS).exactOptional().describe("Default exec."),
  cwd: z.string().exactOptional().describe("For exec and start: default the working directory."),
  timeout_ms: z
    .number()
    .int()
    .min(1)
    .max(MAX_TIMEOUT_MS)
    .exactOptional()
    .describe(`For exec: default ${DEFAULT_TIMEOUT_MS}.`),
  process_id: z
    .string()
    .exactOptional()
    .describe("For status, logs, write and stop: such as bg_1."),
  offset: z
    .number()
    .int()
    .min(0)
    .exactOptional()
    .describe("For logs: first character, counted from the start of the log; default its end."),
  limit: z
    .number()
    .int()
    .min(1)
    .max(MAX_LOG_CHARS)
    .exactOptional()
    .describe(`For logs: characters; default ${DEFAULT_LOG_CHARS}.`),
  input: z
    .string()
    .max(MAX_INPUT_CHARS)
    .exactOptional()
    .describe(
      "For write: sent as it is, so end a line with a line break; \\u0004 alone ends the input.",
    ),
});

export type BashInput = z.output<typeof bashSchema>;

/** An input whose fields belong together. */
export type BashRequest =
  | {
      readonly action: "exec";
      readonly command: string;
      readonly cwd: string;
      readonly timeoutMs: number;
    }
  | { readonly action: "start"; readonly command: string; readonly cwd: string }
  | { readonly action: "status" | "stop"; readonly processId: string }
  | {
      readonly action: "logs";
      readonly processId: string;
      readonly offset?: number;
      readonly limit: number;
    }
  | { readonly action: "write"; readonly processId: string; readonly input: string }
  | { readonly action: "list" };

type Field = Exclude<keyof BashInput, "action">;

const FIELDS: Readonly<
  Record<
    (typeof ACTIONS)[number],
    { readonly needs: readonly Field[]; readonly takes: readonly Field[] }
  >
> = {
  exec: { needs: ["command"], takes: ["cwd", "timeout_ms"] },
  start: { needs: ["command"], takes: ["cwd"] },
  status: { needs: ["process_id"], takes: [] },
  logs: { needs: ["process_id"], takes: ["offset", "limit"] },
  write: { needs: ["process_id", "input"], takes: [] },
  stop: { needs: ["process_id"], takes: [] },
  list: { needs: [], takes: [] },
};

/** The request, or what is wrong with the input. */
export function bashRequest(input: BashInput): BashRequest | string {
  const { action = "exec", command } = input;
  return fieldFault(action, input) ?? commandFault(command) ?? requestOf(action, input);
}

function requestOf(action: (typeof ACTIONS)[number], input: BashInput): BashRequest {
  const { command = "", cwd = ".", process_id: processId = "", offset } = input;
  switch (action) {
    case "exec":
      return { action, command, cwd, timeoutMs: input.timeout_ms ?? DEFAULT_TIMEOUT_MS };
    case "start":
      return { action, command, cwd };
    case "status":
    case "stop":
      return { action, processId };
    case "logs": {
      const limit = input.limit ?? DEFAULT_LOG_CHARS;
      return { action, processId, ...(offset !== undefined && { offset }), limit };
    }
    case "write":
      return { action, processId, input: input.input ?? "" };
    case "list":
      return { action };
  }
}

function fieldFault(action: (typeof ACTIONS)[number], input: BashInput): string | undefined {
  const { needs, takes } = FIELDS[action];
  const given = (Object.keys(input) as (keyof BashInput)[]).filter((field) => field !== "action");
  const missing = needs.filter((field) => !given.includes(field));
  const wrong = given.filter((field) => ![...needs, ...takes].includes(field as Field));
  if (missing.length === 0 && wrong.length === 0) return undefined;
  const faults = [
    ...(missing.length > 0 ? [`it needs ${missing.join(" and ")}`] : []),
    ...(wrong.length > 0 ? [`it takes no ${wrong.join(" and no ")}`] : []),
  ];
  const all = [...needs, ...takes.map((field) => `${field}?`)].join(", ");
  return `The input of bash does not fit the action "${action}": ${faults.join("; ")}. It takes {${all}}.`;
}

function commandFault(command: string | undefined): string | undefined {
  if (command === undefined) return undefined;
  if (command.trim() === "") return "The command of bash is empty.";
  if (command.includes("\0"))
    return "The command of bash holds a NUL character, which no shell takes.";
  const bytes = Buffer.byteLength(command);
  if (bytes > MAX_COMMAND_BYTES)
    return `The command of bash has ${bytes} bytes; at most ${MAX_COMMAND_BYTES} can be run. Write a long script into a file and run that.`;
  return undefined;
}
