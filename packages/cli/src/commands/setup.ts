import type { Readable, Writable } from "node:stream";
import { type Command, Option } from "commander";
import type { CommandContext } from "../command-context.ts";
import type { ModelSources } from "../settings/model-environment.ts";
import { refuseAgent } from "../refuse-agent.ts";
import type { ReadyChoice, SetupFlags } from "../setup/setup-flags.ts";
import {
  addSettingFlags,
  type SettingFlagValues,
  terminalOf,
  writeRecord,
} from "./setting-flags.ts";

type Flags = SetupFlags & SettingFlagValues;

export function addSetupCommand(program: Command, context: CommandContext): void {
  const command = program
    .command("setup")
    .summary("choose a model and store its key, guided or through flags")
    .description(
      "Chooses the model that `acumen` commands use and stores its key; ace-mcp and the " +
        "library read environment variables alone. Asks on a terminal; with --model it takes everything from flags. " +
        "Settings go to $ACUMEN_HOME/config.json (default ~/.acumen), keys to credentials.json beside it, which only " +
        "you can read. A key is never an argument, because every user of a machine sees the arguments of all processes.",
    )
    .option("--model <id>", "the model, such as anthropic/claude-sonnet-4-5 or ollama/qwen3")
    .option("--base-url <url>", "address of the provider, for local servers and gateways")
    .option("--api-key-env <name>", "store the key that this variable holds now")
    .option("--api-key-stdin", "store the key that comes on stdin")
    // Known only to be refused, so that no error repeats it; before its negation, which would else be on by default.
    .addOption(new Option("--api-key [key]").hideHelp())
    .option("--no-api-key", "write the model although it has no key yet")
    .option("--connect", "ask the model one tiny question first; write nothing when it fails");
  addSettingFlags(command)
    .addHelpText(
      "after",
      "\nExamples:\n  $ acumen setup\n  $ acumen setup --model openai/gpt-5-mini --api-key-stdin < key.txt\n" +
        "  $ acumen setup --model ollama/qwen3 --base-url http://127.0.0.1:11434",
    )
    .action(async (_flags, self: Command) => {
      await setup(self.optsWithGlobals<Flags>(), context);
    });
}

/** Asks on a terminal what no flag says. */
export async function setup(flags: Flags, context: CommandContext): Promise<void> {
  const { environment, signal } = context;
  const { variables } = environment;
  refuseAgent(variables, "acumen setup");
  const terminal = terminalOf(context, flags);
  const guided = isGuided(flags, context);
  if (guided) terminal.print(terminal.colours.bold("Acumen setup"));
  const [{ openSetup }, { choiceOfFlags, refuseContradictions }, { writeSetup }] =
    await Promise.all([
      import("../setup/open-setup.ts"),
      import("../setup/setup-flags.ts"),
      import("../setup/write-setup.ts"),
    ]);
  refuseContradictions(flags);
  const { home, sources } = await openSetup(variables, flags);
  const { choice, pong } = guided
    ? await guide(context, sources)
    : await choiceOfFlags(flags, sources, {
        stdin: context.stdin,
        signal,
        onSlow: (text) => terminal.print(terminal.colours.dim(text)),
      });
  const written = await writeSetup(home, choice);
  const { winningVariables } = await import("../setup/setup-choice.ts");
  const winning = winningVariables(variables, choice);
  if (flags.json === true) {
    writeRecord(context, {
      command: "setup",
      ...written,
      environment_wins: winning,
      ...(pong !== undefined && { connection: { milliseconds: pong.milliseconds } }),
    });
    return;
  }
  const [{ writtenLines }, { meantModel, nextLines }] = await Promise.all([
    import("../setup/written-lines.ts"),
    import("../setup/after-setup.ts"),
  ]);
  if (pong !== undefined && !guided) terminal.print(`It answered in ${pong.milliseconds} ms.`);
  terminal.print(
    ...writtenLines(written, {
      winning,
      meant: await meantModel(choice),
      next: nextLines(sources, choice),
    }),
  );
}

/** Questions need a terminal at both ends and nobody who waits for JSON; one flag about the choice ends them. */
function isGuided(flags: Flags, { stdin, stdout }: CommandContext): boolean {
  const { model, baseUrl, apiKeyEnv, apiKeyStdin, apiKey, json } = flags;
  const said = [model, baseUrl, apiKeyEnv, apiKeyStdin, apiKey, json];
  if (said.some((flag) => flag !== undefined)) return false;
  return stdout.isTTY === true && stdin().isTTY === true;
}

async function guide(context: CommandContext, sources: ModelSources): Promise<ReadyChoice> {
  const [{ guidedChoice }, { terminalPrompts }] = await Promise.all([
    import("../setup/guided.ts"),
    import("../terminal/prompts.ts"),
  ]);
  const { stdin, stdout, signal } = context;
  const prompts = await terminalPrompts({
    input: stdin() as Readable,
    output: stdout as Writable,
    signal,
    gaveUp: "Given up; nothing was written.",
  });
  return guidedChoice(prompts, sources, signal);
}
