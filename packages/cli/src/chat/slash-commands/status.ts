import { count } from "../../terminal/count.ts";
import { modelText } from "../../agent/model-text.ts";
import { printable } from "../../terminal/printable.ts";
import { money } from "../heading.ts";
import type { SlashCommand } from "./slash-command.ts";

export const statusCommand: SlashCommand = {
  name: "status",
  summary: "model, mode, tokens, cost and servers",
  run: ({ session, print }) => {
    const status = session.status();
    const { mode, effectiveMode, contextTokens, contextWindow, cost } = status;
    const turns = session.events.filter(({ type }) => type === "USER_MESSAGE").length;
    const window = contextWindow === null ? "" : ` of ${contextWindow}`;
    const servers = (session.mcp?.status() ?? []).filter(({ enabled }) => enabled);
    const connected = servers.filter(({ state }) => state === "connected").length;
    print(
      `session   ${session.id}`,
      `folder    ${printable(session.workspace.cwd)}${session.trusted ? " (trusted)" : " (not trusted)"}`,
      `model     ${printable(modelText(session))}`,
      `mode      ${mode}${mode === effectiveMode ? "" : `, acts as ${effectiveMode}`}`,
      `context   ${contextTokens}${window} tokens`,
      `used      ${status.inputTokens} + ${status.outputTokens} tokens in ${count(turns, "turn")}${cost === undefined ? "" : `, ${money(cost)}`}`,
      `tools     ${session.tools().length}`,
      ...(servers.length === 0
        ? []
        : [`servers   ${connected} of ${servers.length} connected (/mcp)`]),
      `answers   ${count(session.remembered.list().length, "remembered decision")} (/permissions)`,
    );
    return Promise.resolve(undefined);
  },
};
