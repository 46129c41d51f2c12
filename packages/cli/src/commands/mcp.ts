import { resolve } from "node:path";
import { type Command, InvalidArgumentError, Option } from "commander";
import type { CommandContext } from "../command-context.ts";
import type { AddFlags, McpTask, TestFlags } from "../mcp/mcp-task.ts";
import { refuseWordsBefore } from "../mcp/words-before.ts";
import { refuseAgent } from "../refuse-agent.ts";
import { addJsonFlag, type JsonFlagValues } from "./json-flag.ts";
import { terminalOf, writeRecord } from "./setting-flags.ts";

interface McpFlags extends JsonFlagValues {
  /** Absolute. */
  readonly workspace?: string;
  readonly trustOnce?: boolean;
}

type Work = (task: McpTask) => Promise<Readonly<Record<string, unknown>>>;

const LONGEST_MS = 86_400_000;

export function addMcpCommand(program: Command, context: CommandContext): void {
  const mcp = program
    .command("mcp")
    .summary("MCP servers: whose tools the agent has here")
    .description(
      "Looks after MCP servers, whose tools become the agent's. A server is defined once for this machine and enabled in " +
        "each workspace that wants it; what a workspace enables counts when the workspace is trusted.",
    )
    .addHelpText(
      "after",
      "\nExamples:\n  $ acumen mcp add memory -- npx -y @modelcontextprotocol/server-memory\n  $ acumen mcp list",
    );
  addList(mcp, context);
  addAdd(mcp, context);
  for (const named of NAMED) addNamed(mcp, context, named);
}

function addList(mcp: Command, context: CommandContext): void {
  const command = mcp
    .command("list")
    .summary("connect to the servers of this workspace and show their state")
    .description(
      "Connects to every server that is enabled here, all at the same time, and shows the state of each, also of those " +
        "that are only defined. A server in trouble is no failure of this command.",
    );
  addTrustOnce(command);
  addMcpFlags(command)
    .addHelpText("after", "\nExample:\n  $ acumen mcp list --json")
    .action(async (_flags, self: Command) => {
      const run: Work = async (task) => (await import("../mcp/list-servers.ts")).listServers(task);
      await work({ word: "list", self, context, run });
    });
}

function addAdd(mcp: Command, context: CommandContext): void {
  const command = mcp
    .command("add")
    .summary("define a server and enable it here")
    .description(
      "Defines a server for this machine, enables it in this workspace, which is trusted with that, and connects once to " +
        "show its tools. Options stand before `--`; everything behind it is the command as it is. Values may be " +
        "${VARIABLE}: the file then holds the name, and the value comes from the environment at each start.",
    )
    .usage("[options] <name> -- <command> [args...]\n       acumen mcp add [options] <name> <url>")
    .argument("<name>", "what the server is called here")
    .argument("[words...]", "its command with arguments, or its address")
    .addOption(
      new Option("--transport <kind>", "default: stdio for a command, http for an address").choices(
        ["stdio", "http", "sse"],
      ),
    )
    .option("--env <name=value>", "a variable of the command; may be given again", collect)
    .option("--header <name:value>", "a header of the address; may be given again", collect)
    .option("--cwd <dir>", "where the command runs; default the workspace")
    .option("--timeout <ms>", "of a call without progress; default 60000", millisecondsOf)
    .option("--startup-timeout <ms>", "from start to list of tools; default 20000", millisecondsOf)
    .addOption(
      new Option(
        "--on-conflict <how>",
        "tools whose names are taken: reject the server, or qualify the names",
      ).choices(["reject", "qualify"]),
    )
    .option("--force", "replace a definition of the same name")
    .option("--no-enable", "define it and enable it nowhere");
  addMcpFlags(command)
    .addHelpText(
      "after",
      "\nExamples:\n  $ acumen mcp add memory -- npx -y @modelcontextprotocol/server-memory\n" +
        "  $ acumen mcp add github https://api.githubcopilot.com/mcp/ \\\n      --header 'Authorization: Bearer ${GITHUB_TOKEN}'",
    )
    .action(async (name: string, words: string[], _flags, self: Command) => {
      refuseAgent(context.environment.variables, "acumen mcp add");
      refuseWordsBefore(words, rawWords(self));
      const flags = self.opts<AddFlags>();
      const run: Work = async (task) => {
        const { addServer } = await import("../mcp/add-server.ts");
        return addServer(name, words, { ...task, flags });
      };
      await work({ word: "add", self, context, run });
    });
}

/** The words of the command line as they came. */
function rawWords(command: Command): readonly string[] {
  let root = command;
  while (root.parent !== null) root = root.parent;
  const { rawArgs } = root as Command & { readonly rawArgs: readonly string[] };
  return rawArgs;
}

interface NamedCommand {
  readonly name: string;
  readonly summary: string;
  readonly description: string;
  /** It grants something, and is not for the agent. */
  readonly forPeople?: true;
  /** It changes files and starts nothing. */
  readonly isQuick?: true;
  /** It uses what the workspace says, and may trust it for this once. */
  readonly isReader?: true;
  /** It may take another time limit for the start. */
  readonly isTimed?: true;
  readonly load: () => Promise<(name: string, task: McpTask & TestFlags) => ReturnType<Work>>;
}

const NAMED: readonly NamedCommand[] = [
  {
    name: "remove",
    summary: "forget the definition of a server",
    description:
      "Takes the definition of a server out of this machine's file, and disables it here. Another workspace that has it " +
      "enabled shows it as missing.",
    isQuick: true,
    load: async () => (await import("../mcp/change-servers.ts")).removeServer,
  },
  {
    name: "enable",
    summary: "use a server in this workspace",
    description:
      "Enables a server of this machine in the workspace, trusts the workspace with that, and connects once to show the " +
      "state of the server.",
    forPeople: true,
    load: async () => (await import("../mcp/change-servers.ts")).enableServer,
  },
  {
    name: "disable",
    summary: "use a server no more in this workspace",
    description: "Disables a server in the workspace. Its definition stays.",
    isQuick: true,
    load: async () => (await import("../mcp/change-servers.ts")).disableServer,
  },
  {
    name: "retry",
    summary: "connect again to a server of this workspace",
    description:
      "Connects to a server that is enabled here and shows its state. Exit code 1 unless it is connected. In a chat, " +
      "`/mcp retry NAME` does this for the running session.",
    isReader: true,
    load: async () => (await import("../mcp/try-server.ts")).retryServer,
  },
  {
    name: "test",
    summary: "try a server, enabled or not, and show its tools",
    description:
      "Connects to a server of this machine, enabled here or not, and shows its tools. Exit code 1 unless it is connected. " +
      "A command that downloads its server at the first start may need --startup-timeout once.",
    isReader: true,
    isTimed: true,
    load: async () => (await import("../mcp/try-server.ts")).testServer,
  },
];

function addNamed(mcp: Command, context: CommandContext, named: NamedCommand): void {
  const { name: word, summary, description, forPeople = false, isQuick = false, load } = named;
  const isTimed = named.isTimed === true;
  const command = mcp
    .command(word)
    .summary(summary)
    .description(description)
    .argument("<name>", "the server");
  if (isTimed) command.option("--startup-timeout <ms>", "for this once", millisecondsOf);
  if (named.isReader === true) addTrustOnce(command);
  addMcpFlags(command)
    .addHelpText("after", `\nExample:\n  $ acumen mcp ${word} memory`)
    .action(async (name: string, _flags, self: Command) => {
      if (forPeople) refuseAgent(context.environment.variables, `acumen mcp ${word}`);
      const { startupTimeout } = self.opts<TestFlags>();
      const flags = startupTimeout === undefined ? {} : { startupTimeout };
      const run: Work = async (task) => (await load())(name, { ...task, ...flags });
      await work({ word, isQuick, self, context, run });
    });
}

function addTrustOnce(command: Command): void {
  command.option("--trust-once", "trust this workspace for this command alone");
}

function addMcpFlags(command: Command): Command {
  return addJsonFlag(
    command.option("--workspace <dir>", "the workspace; default the current folder", (path) =>
      resolve(path),
    ),
  );
}

interface Job {
  readonly word: string;
  /** No server is connected to. */
  readonly isQuick?: boolean;
  readonly self: Command;
  readonly context: CommandContext;
  readonly run: Work;
}

async function work({ word, isQuick = false, self, context, run }: Job): Promise<void> {
  const flags = self.optsWithGlobals<McpFlags>();
  const terminal = terminalOf(context, flags);
  const { json = false, workspace = process.cwd(), trustOnce = false } = flags;
  if (trustOnce) refuseAgent(context.environment.variables, "--trust-once");
  // Before anything is loaded, so that a person sees at once that something happens.
  if (terminal.interactive && !isQuick) terminal.print(terminal.colours.dim("One moment ..."));
  const record = await run({ context, terminal, json, workspace, trustOnce });
  if (json) writeRecord(context, { command: `mcp ${word}`, ...record });
}

function collect(text: string, before: readonly string[] = []): readonly string[] {
  return [...before, text];
}

function millisecondsOf(text: string): number {
  if (/^\d{1,8}$/.test(text) && Number(text) >= 1 && Number(text) <= LONGEST_MS)
    return Number(text);
  throw new InvalidArgumentError(`It must be a whole number of milliseconds up to ${LONGEST_MS}.`);
}
