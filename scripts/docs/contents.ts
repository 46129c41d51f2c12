import { ACE_ERRORS } from "@acumen/ace";
import { CONFIG_ROWS, MCP_ERRORS, MCP_START_ERRORS } from "@acumen/ace/mcp";
import { HOST_UPDATE_ROWS } from "@acumen/acp/documentation";
import { AGENT_ERRORS } from "@acumen/agent";
import { CLI_ERRORS, SETTING_ROWS } from "@acumen/cli";
import { FACADE_ERRORS } from "@acumen/facade";
import { CORE_ERRORS, type ErrorRow } from "@acumen/core";
import { MODELS_ERRORS } from "@acumen/models";
import { eventTable } from "./agent-events.ts";
import { agentToolTable } from "./agent-tools.ts";
import {
  facadeCalls,
  facadeEvents,
  facadeOperations,
  facadeStatuses,
  facadeTransitions,
} from "./facade-tables.ts";
import { markdownTable } from "./markdown-table.ts";
import { providerTable } from "./provider-table.ts";
import { toolTables } from "./tool-tables.ts";

/** What each generated block holds. The tables in the code are the only source; pages are never edited between marks. */
export const CONTENTS: Readonly<Record<string, () => string>> = {
  "core-errors": () => errorTable(CORE_ERRORS),
  "models-errors": () => errorTable(MODELS_ERRORS),
  "ace-errors": () => errorTable(ACE_ERRORS),
  "mcp-errors": () => errorTable(MCP_ERRORS),
  "mcp-start-errors": () => errorTable(MCP_START_ERRORS),
  "agent-errors": () => errorTable(AGENT_ERRORS),
  "facade-errors": () => errorTable(FACADE_ERRORS),
  "cli-errors": () => errorTable(CLI_ERRORS),
  "mcp-configuration": () =>
    markdownTable(
      ["variable", "default", "value", "meaning"],
      CONFIG_ROWS.map((row) => [`\`${row.variable}\``, row.default, row.type, row.description]),
    ),
  "cli-settings": () =>
    markdownTable(
      ["setting", "variable", "flag", "meaning"],
      SETTING_ROWS.map(({ setting, variable, flag, meaning }) => [
        ...[setting, variable, flag].map(codeOrDash),
        meaning,
      ]),
    ),
  "mcp-tools": toolTables,
  "model-providers": providerTable,
  "agent-events": eventTable,
  "agent-tools": agentToolTable,
  "facade-operations": facadeOperations,
  "facade-transitions": facadeTransitions,
  "facade-calls": facadeCalls,
  "facade-statuses": facadeStatuses,
  "facade-events": facadeEvents,
  "host-updates": () =>
    markdownTable(
      ["event", "update", "what it holds"],
      HOST_UPDATE_ROWS.map(({ event, update, holds }) => [`\`${event}\``, update, holds]),
    ),
};

function codeOrDash(text: string): string {
  if (text === "") return "-";
  return text.includes("'") ? text : `\`${text}\``;
}

function errorTable(table: Readonly<Record<string, ErrorRow>>): string {
  return markdownTable(
    ["code", "meaning", "what to do"],
    Object.entries(table).map(([code, row]) => [`\`${code}\``, row.meaning, row.remedy]),
  );
}
