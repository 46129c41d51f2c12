import type { RememberedDecision } from "@acumen/agent";
import { cliError } from "../../errors.ts";
import { printable } from "../../terminal/printable.ts";
import type { ChatRoom, SlashCommand } from "./slash-command.ts";

export const permissionsCommand: SlashCommand = {
  name: "permissions",
  usage: "[revoke N|all]",
  summary: "what you answered for good, and the rules",
  words: ["revoke"],
  run: async (room, words) => {
    if (words === "") list(room);
    else await revoke(room, words);
    return undefined;
  },
};

function list({ session, print }: ChatRoom): void {
  const decisions = session.remembered.list();
  const { settings } = session;
  const rules = (["deny", "ask", "allow"] as const).flatMap((kind) =>
    settings.permissions[kind].map((rule) => `  ${kind} ${printable(rule)}`),
  );
  print(
    ...(decisions.length === 0 ? ["Nothing was answered for good in this session."] : []),
    ...decisions.map((decision, index) => `${index + 1}  ${inWords(decision)}`),
    ...(decisions.length === 0 ? [] : ["`/permissions revoke N` forgets an answer, `all` all."]),
    ...(rules.length === 0 ? [] : ["Rules of the settings:", ...rules]),
  );
}

async function revoke({ session, tell }: ChatRoom, words: string): Promise<void> {
  const which = /^revoke\s+(\d+|all)$/.exec(words)?.[1];
  const decisions = session.remembered.list();
  const chosen = which === "all" ? decisions : decisions.slice(Number(which) - 1, Number(which));
  if (which === undefined || which === "0" || chosen.length === 0) {
    throw cliError(
      "CLI_USAGE",
      decisions.length === 0
        ? "Nothing is remembered that could be forgotten."
        : `Say \`/permissions revoke N\` with a number from 1 to ${decisions.length}, or \`all\`.`,
    );
  }
  for (const { id } of chosen) await session.remembered.revoke(id);
  await tell(...chosen.map((decision) => `Forgotten: ${inWords(decision)}`));
}

function inWords({ decision, description }: RememberedDecision): string {
  return `${decision === "allow" ? "always allow" : "never allow"} ${printable(description)}`;
}
