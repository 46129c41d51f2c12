import type { Command } from "commander";
import type { CommandContext } from "../command-context.ts";
import { limitOf } from "./limit.ts";
import {
  addSettingFlags,
  type SettingFlagValues,
  terminalOf,
  writeRecord,
} from "./setting-flags.ts";

interface ModelsFlags extends SettingFlagValues {
  readonly limit: number;
}

export function addModelsCommand(program: Command, context: CommandContext): void {
  const command = program
    .command("models")
    .summary("list providers and models: context window, price, key")
    .description(
      "Lists the providers, or with words the known models whose id holds all of them. Comes from a dated table in the " +
        "package: no provider is asked, and a model that is missing here works nevertheless.",
    )
    .argument("[query...]", "words to look for, such as `claude` or `gemini flash`");
  addSettingFlags(command)
    .option("--limit <n>", "most models", limitOf, 40)
    .addHelpText("after", "\nExamples:\n  $ acumen models\n  $ acumen models claude sonnet --json")
    .action(async (words: string[], _flags, self: Command) => {
      await models(words.join(" ").trim(), self.optsWithGlobals<ModelsFlags>(), context);
    });
}

async function models(query: string, flags: ModelsFlags, context: CommandContext): Promise<void> {
  const [{ loadSettings }, { loadCatalogue, providerRecord, searched }, lines, { EMBEDDED_MODEL }] =
    await Promise.all([
      import("../settings/load-settings.ts"),
      import("../models/catalogue.ts"),
      import("../models/model-lines.ts"),
      import("../settings/model-name.ts"),
    ]);
  const loaded = await loadSettings(context.environment.variables, flags);
  const catalogue = await loadCatalogue(loaded);
  const found = query === "" ? catalogue.providers : searched(catalogue, query);
  const { model, credentialsFault } = loaded;
  if (credentialsFault !== undefined) {
    context.stderr.write(`acumen: ${credentialsFault.code}: ${credentialsFault.message}\n`);
  }
  if (flags.json === true) {
    writeRecord(context, {
      command: "models",
      query,
      snapshot_date: catalogue.snapshotDate,
      ...(model !== undefined && { model: model.id, model_source: model.source }),
      ...(lines.matchesEmbedded(query) && { embedded: EMBEDDED_MODEL }),
      providers: found.map(providerRecord),
    });
    return;
  }
  const terminal = terminalOf(context, flags);
  const { snapshotDate } = catalogue;
  terminal.print(
    ...(query === ""
      ? lines.providerLines(terminal, catalogue)
      : lines.modelLines(terminal, found, { limit: flags.limit, query, snapshotDate })),
    ...(query === "" ? ["", ...lines.chosenLines(loaded, catalogue)] : []),
  );
}
