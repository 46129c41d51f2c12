import { type Command, Option } from "commander";
import type { SessionMode } from "@acumen/agent";
import type { CommandContext } from "../command-context.ts";
import { MODE_NAMES } from "../settings/session-names.ts";
import { addSettingFlags, type SettingFlagValues } from "./setting-flags.ts";

export interface AcpFlags extends SettingFlagValues {
  readonly model?: string;
  readonly mode?: SessionMode;
  readonly trustOnce?: boolean;
}

export function addAcpCommand(program: Command, context: CommandContext): void {
  const command = program
    .command("acp")
    .summary("serve an editor over stdin and stdout")
    .description(
      "Speaks the Agent Client Protocol (version 1) with the editor that starts it. Only the protocol goes to stdout; " +
        "logs go to stderr. Ends when stdin does.",
    );
  addSettingFlags(command)
    .option("--model <id>", "the model of new sessions, such as anthropic/claude-sonnet-4-5")
    .addOption(new Option("--mode <mode>", "what runs without asking").choices(MODE_NAMES))
    .option("--trust-once", "trust every workspace, for this process alone")
    .addHelpText("after", "\nExample, for the settings of an editor:\n  acumen acp --mode safe")
    .action(async (_flags, self: Command) => {
      const { serveHost } = await import("../acp/serve-host.ts");
      await serveHost(self.optsWithGlobals<AcpFlags>(), context);
    });
}
