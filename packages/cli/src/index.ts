// Adding a name here makes it public. The command line is a program; this entry serves the generated documentation.
export { CLI_ERRORS } from "./errors.ts";
export { SETTING_ROWS, type SettingRow } from "./settings/setting-rows.ts";
export { settingsJsonSchema } from "./settings/settings-schema.ts";
