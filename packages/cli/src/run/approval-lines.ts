import type { ApprovalOption, ApprovalRequest } from "@acumen/agent";
import { diffLines } from "../events/diff-lines.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { wrap } from "../terminal/wrap.ts";

/** Everything that a consent would cover: the whole command or diff, and where. The texts of a request are safe to show. */
export function approvalLines(
  request: ApprovalRequest,
  { colours, width }: Pick<Terminal, "colours" | "width">,
): string[] {
  const { bold, dim, yellow } = colours;
  const { command, cwd, background, paths, diff, origin, tool, risk } = request;
  const purpose =
    origin.type === "mcp" ? `call a tool of the MCP server ${origin.server}` : PURPOSES[risk];
  const shown = command !== undefined || diff.length > 0;
  return [
    yellow(bold(`${tool} wants to ${background ? IN_BACKGROUND : purpose}`)),
    ...wrap(request.reason, width, "  ").map(dim),
    ...(command === undefined ? [] : command.split("\n").map((line) => `  $ ${line}`)),
    ...(cwd === undefined ? [] : [dim(`  in ${cwd}`)]),
    ...paths.map((path) => dim(`  ${path}`)),
    ...diff.flatMap((change) => diffLines(change, colours)).map((line) => `  ${line}`),
    ...(shown ? [] : request.input.split("\n").map((line) => `  ${line}`)),
  ];
}

const IN_BACKGROUND = "start a command in the background, which goes on running";
const PURPOSES: Readonly<Record<ApprovalRequest["risk"], string>> = {
  read: "read",
  write: "change files",
  execute: "run a command",
  network: "reach the network",
};

/** The answers that a request allows, in its order. "Always" says what it covers, whichever answer is looked at. */
export function approvalChoices({ options, alwaysCovers }: ApprovalRequest): {
  readonly value: ApprovalOption;
  readonly label: string;
}[] {
  return options.map((value) => {
    const covers = value.endsWith("_always") ? alwaysCovers : "";
    return { value, label: covers === "" ? LABELS[value] : `${LABELS[value]}: ${covers}` };
  });
}

const LABELS: Readonly<Record<ApprovalOption, string>> = {
  allow_once: "Yes, this once",
  allow_always: "Yes, always in this session",
  reject_once: "No, not now",
  reject_always: "No, never in this session",
};
