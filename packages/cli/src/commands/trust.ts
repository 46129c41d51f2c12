import { resolve } from "node:path";
import { type Command, Option } from "commander";
import type { CommandContext } from "../command-context.ts";
import { refuseAgent } from "../refuse-agent.ts";
import { addJsonFlag, type JsonFlagValues } from "./json-flag.ts";
import { terminalOf, writeRecord } from "./setting-flags.ts";

interface TrustFlags extends JsonFlagValues {
  readonly revoke?: boolean;
  readonly list?: boolean;
}

export function addTrustCommand(program: Command, context: CommandContext): void {
  const command = program
    .command("trust")
    .summary("let a workspace bring settings, servers and skills")
    .description(
      "Trusts a workspace as it is now: its .acumen folder may bring settings, MCP servers and skills, and the mode `auto` " +
        "counts there. Any change below .acumen ends the trust; asked again, the command shows what changed. The root, " +
        "your home folder and its parents can't be trusted.",
    )
    .argument("[dir]", "the workspace; default the current folder")
    .addOption(new Option("--revoke", "trust it no more").conflicts("list"))
    .addOption(new Option("--list", "list the trusted workspaces"));
  addJsonFlag(command)
    .addHelpText("after", "\nExamples:\n  $ acumen trust\n  $ acumen trust ~/work/site --revoke")
    .action(async (folder: string | undefined, _flags, self: Command) => {
      await trust(resolve(folder ?? "."), self.optsWithGlobals<TrustFlags>(), context);
    });
}

async function trust(path: string, flags: TrustFlags, context: CommandContext): Promise<void> {
  refuseAgent(context.environment.variables, "acumen trust");
  const { changeTrust } = await import("../agent/change-trust.ts");
  const terminal = terminalOf(context, flags);
  const record = await changeTrust(path, { context, terminal, ...flags });
  if (flags.json === true) writeRecord(context, { command: "trust", ...record });
}
