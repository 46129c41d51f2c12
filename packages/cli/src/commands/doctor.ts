import type { Command } from "commander";
import type { CommandContext } from "../command-context.ts";
import type { Check } from "../doctor/check.ts";
import { cliError } from "../errors.ts";
import { packageVersion } from "../version.ts";
import {
  addSettingFlags,
  type SettingFlagValues,
  terminalOf,
  writeRecord,
} from "./setting-flags.ts";

interface DoctorFlags extends SettingFlagValues {
  readonly model?: string;
  readonly connect?: boolean;
}

export function addDoctorCommand(program: Command, context: CommandContext): void {
  const command = program
    .command("doctor")
    .summary("say what is wrong: Node, git, folders, settings, keys, servers")
    .description(
      "Looks at what Acumen needs: Node, git, write access, settings, MCP servers, stored keys, the chosen model. Changes " +
        "nothing, starts no server, and asks no service unless --connect is given. Exit code 1 when something is wrong.",
    )
    .option("--connect", "ask the chosen model one tiny question (may cost a fraction of a cent)")
    .option("--model <id>", "look at this model instead of the chosen one");
  addSettingFlags(command)
    .addHelpText("after", "\nExamples:\n  $ acumen doctor\n  $ acumen doctor --connect --json")
    .action(async (_flags, self: Command) => {
      await doctor(self.optsWithGlobals<DoctorFlags>(), context);
    });
}

async function doctor(flags: DoctorFlags, context: CommandContext): Promise<void> {
  const { environment, signal } = context;
  const terminal = terminalOf(context, flags);
  const { version, platform, arch } = process;
  // Before anything is loaded, so that a person sees at once that something happens.
  terminal.print(terminal.colours.bold(`Acumen ${packageVersion()}, ${platform} ${arch}`));
  const [{ examine }, { checkLines }] = await Promise.all([
    import("../doctor/examine.ts"),
    import("../doctor/check-lines.ts"),
  ]);
  const checks: Check[] = [];
  const findings = examine({
    variables: environment.variables,
    flags,
    cwd: process.cwd(),
    nodeVersion: version.slice(1),
    connect: flags.connect === true,
    signal,
    onSlow: (text) => terminal.print(terminal.colours.dim(`       ${text}`)),
  });
  for await (const found of findings) {
    checks.push(found);
    terminal.print(...checkLines(terminal, found));
  }
  const faulty = checks.filter(({ status }) => status === "wrong");
  const wrong = [...new Set(faulty.map(({ name }) => name))];
  const record = { command: "doctor", ok: wrong.length === 0, checks };
  if (wrong.length > 0) {
    throw cliError("CLI_DOCTOR_FAILED", `Something is wrong with: ${wrong.join(", ")}.`, {
      details: record,
    });
  }
  if (flags.json === true) writeRecord(context, record);
}
