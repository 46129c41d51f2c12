import { ACE_ERRORS } from "@acumen/ace";
import { CORE_ERRORS, type ErrorRow } from "@acumen/core";
import { markdownTable } from "./markdown-table.ts";

/** What each generated block holds. The tables in the code are the only source; pages are never edited between marks. */
export const CONTENTS: Readonly<Record<string, () => string>> = {
  "core-errors": () => errorTable(CORE_ERRORS),
  "ace-errors": () => errorTable(ACE_ERRORS),
};

function errorTable(table: Readonly<Record<string, ErrorRow>>): string {
  return markdownTable(
    ["code", "meaning", "what to do"],
    Object.entries(table).map(([code, row]) => [`\`${code}\``, row.meaning, row.remedy]),
  );
}
