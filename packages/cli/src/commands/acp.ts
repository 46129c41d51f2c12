import { type Command, Option } from "commander";
import type { SessionMode } from "@acumen/agent";
import type { ThoughtLevel } from "@acumen/models/catalogue";
import type { CommandContext } from "../command-context.ts";
import { MODE_NAMES } from "../settings/session-names.ts";
import { thoughtLevelOption } from "./session-flags.ts";
import { addSettingFlags, type SettingFlagValues } from "./setting-flags.ts";
import { setup } from "./setup.ts";

export interface AcpFlags extends SettingFlagValues {
  readonly model?: string;
  readonly mode?: SessionMode;
  readonly thoughtLevel?: ThoughtLevel;
  readonly trustOnce?: boolean;
}

interface Flags extends AcpFlags {
  readonly check?: boolean;
  readonly setup?: boolean;
}

export function addAcpCommand(program: Command, context: CommandContext): void {
  const command = program
    .command("acp")
    .summary("serve an editor over stdin and stdout")
    .description(
      "Speaks the Agent Client Protocol (version 1) with the editor that starts it. Only the protocol goes to stdout; " +
        "logs go to stderr. Ends when stdin does. --check says what a session in this folder would have instead: model, " +
        "credentials, MCP servers; exit code 2 when no model could be asked.",
    )
    .option("--model <id>", "the model of new sessions, such as anthropic/claude-sonnet-4-5")
    .addOption(thoughtLevelOption())
    .addOption(new Option("--mode <mode>", "what runs without asking").choices(MODE_NAMES))
    .option("--trust-once", "trust every workspace, for this process alone")
    .addOption(
      new Option("--check", "say what a session here would have, and end").conflicts("setup"),
    )
    .option("--setup", "choose a model and store its key in this terminal, and end");
  addSettingFlags(command)
    .addHelpText(
      "after",
      "\nExamples:\n  $ acumen acp --check\n  $ acumen acp --mode safe     # for the settings of an editor",
    )
    .action(async (_flags, self: Command) => {
      await acp(self.optsWithGlobals<Flags>(), context);
    });
}

async function acp(flags: Flags, context: CommandContext): Promise<void> {
  if (flags.check === true) {
    const { checkHost } = await import("../acp/check-host.ts");
    return checkHost(flags, context, process.cwd());
  }
  if (flags.setup === true) {
    const { config, color, json } = flags;
    return setup(
      { color, ...(config !== undefined && { config }), ...(json && { json }) },
      context,
    );
  }
  const { serveHost } = await import("../acp/serve-host.ts");
  return serveHost(flags, context);
}
