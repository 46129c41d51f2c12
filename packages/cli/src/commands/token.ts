import type { Command } from "commander";
import type { CommandContext } from "../command-context.ts";
import { addJsonFlag, type JsonFlagValues } from "./json-flag.ts";
import { terminalOf, writeRecord } from "./setting-flags.ts";

interface CreateFlags extends JsonFlagValues {
  readonly scope: readonly string[];
  readonly owner?: string;
  readonly expires?: string;
}

export function addTokenCommand(program: Command, context: CommandContext): void {
  const token = program
    .command("token")
    .summary("make, list and revoke tokens of `acumen serve`")
    .description(
      "Looks after the bearer tokens in $ACUMEN_HOME/acumen.db, also while a server runs. A token is shown once, when it is made.",
    )
    .addHelpText("after", "\nExample:\n  $ acumen token create --scope plan:read --expires 90d");
  addCreate(token, context);
  addList(token, context);
  addRevoke(token, context);
}

function addCreate(token: Command, context: CommandContext): void {
  const command = token
    .command("create")
    .summary("make a token")
    .description(
      "Makes a token and prints it on stdout, once; what it may do goes to stderr. Scopes: session:*, plan:read, plan:write, plan:auto, plan:apply, registry:read, " +
        "context:read, events:read; `all` for every one.",
    )
    .requiredOption("--scope <scope...>", "what it may do")
    .option("--owner <name>", "whose plans and sessions it sees (default: local)")
    .option("--expires <time>", "when it ends, such as 90d, 12h or a date")
    .addHelpText(
      "after",
      "\nExamples:\n  $ acumen token create --scope plan:read events:read --expires 90d\n  $ export ACUMEN_TOKEN=$(acumen token create --scope all)\n  $ acumen token create --scope all --owner ci --json",
    );
  addJsonFlag(command).action(async (_flags, self: Command) => {
    const flags = self.optsWithGlobals<CreateFlags>();
    const { createToken } = await import("../serve/tokens.ts");
    const made = await createToken(context, flags);
    if (flags.json === true) return writeRecord(context, { command: "token create", ...made });
    // The token alone on stdout, so that `$(acumen token create …)` is a token.
    terminalOf(context, flags).print(made.token);
    context.stderr.write(
      `Token ${made.token_id} of ${made.owner}: ${made.scopes.join(", ")}.\nIt is not shown again.\n`,
    );
  });
}

function addList(token: Command, context: CommandContext): void {
  const command = token
    .command("list")
    .summary("list tokens, without the tokens themselves")
    .description(
      "Lists the tokens that were made: id, owner, scopes, end. Revoked ones stay in the list.",
    )
    .addHelpText("after", "\nExample:\n  $ acumen token list --json");
  addJsonFlag(command).action(async (_flags, self: Command) => {
    const flags = self.optsWithGlobals<JsonFlagValues>();
    const { listTokens, tokenLines } = await import("../serve/tokens.ts");
    const tokens = await listTokens(context);
    if (flags.json === true) return writeRecord(context, { command: "token list", tokens });
    const terminal = terminalOf(context, flags);
    terminal.print(...tokenLines(tokens, terminal.width));
  });
}

function addRevoke(token: Command, context: CommandContext): void {
  const command = token
    .command("revoke")
    .argument("<id>", "of `acumen token list`")
    .summary("end a token at once")
    .description("Revokes a token. Open streams of it end with their next heartbeat.")
    .addHelpText("after", "\nExample:\n  $ acumen token revoke 01KAFV3W5E9Q2T8M6X4Z7B1C0D");
  addJsonFlag(command).action(async (id: string, _flags, self: Command) => {
    const flags = self.optsWithGlobals<JsonFlagValues>();
    const { revokeToken } = await import("../serve/tokens.ts");
    await revokeToken(context, id);
    if (flags.json === true) return writeRecord(context, { command: "token revoke", token_id: id });
    terminalOf(context, flags).print(`Token ${id} is revoked.`);
  });
}
