import { z } from "zod";
import { settingsSchema } from "./settings-schema.ts";

/** One row of the settings table in docs/configuration.md. */
export interface SettingRow {
  readonly setting: string;
  readonly variable: string;
  readonly flag: string;
  readonly meaning: string;
}

/** What overrides a setting of the file. `endpoints` has a variable for each provider. */
const OVERRIDES: Readonly<Record<string, { readonly variable?: string; readonly flag?: string }>> =
  {
    model: { variable: "ACUMEN_MODEL", flag: "--model" },
    thoughtLevel: { variable: "ACUMEN_THOUGHT_LEVEL", flag: "--thought-level" },
    mode: { variable: "ACUMEN_MODE", flag: "--mode" },
    "limits.maxSteps": { variable: "ACUMEN_MAX_STEPS", flag: "--max-steps" },
    "learning.mode": { variable: "ACUMEN_LEARNING" },
    endpoints: { variable: "the provider's own", flag: "setup --base-url" },
  };

/** What has no place in the file. */
const OUTSIDE: readonly SettingRow[] = [
  {
    setting: "",
    variable: "ACUMEN_HOME",
    flag: "",
    meaning: "Absolute path of the folder of settings and keys. Default `~/.acumen`.",
  },
  {
    setting: "",
    variable: "",
    flag: "--config",
    meaning: "Another settings file; keys stay in `$ACUMEN_HOME/credentials.json`.",
  },
  {
    setting: "",
    variable: "",
    flag: "--trust-once",
    meaning: "Trusts the workspace for this run alone, if it can be trusted.",
  },
  {
    setting: "",
    variable: "ACUMEN_LOG",
    flag: "",
    meaning:
      "Least severity of log lines: debug, info, warn (default) or error; debug adds the stack to errors.",
  },
  {
    setting: "",
    variable: "NO_COLOR",
    flag: "--no-color",
    meaning: "No colours. They are off anyway when the output is no terminal.",
  },
  {
    setting: "",
    variable: "ACUMEN_AGENT",
    flag: "",
    meaning:
      "Marks children of the agent: commands that grant rights, such as `acumen setup` and `acumen trust`, refuse, and so do `--trust-once` and mode `auto`.",
  },
];

/** The settings of the file in its order, those of a group one by one, then what only variables and flags say. */
export const SETTING_ROWS: readonly SettingRow[] = [
  ...rowsOf(settingsSchema.shape, ""),
  ...OUTSIDE,
];

function rowsOf(shape: z.core.$ZodShape, prefix: string): SettingRow[] {
  return Object.entries(shape).flatMap(([name, schema]) => {
    const setting = `${prefix}${name}`;
    const inner = innerOf(schema);
    // One row says it for all providers.
    if (inner instanceof z.ZodObject && setting !== "endpoints") {
      return rowsOf(inner.shape, `${setting}.`);
    }
    const { variable = "", flag = "" } = OVERRIDES[setting] ?? {};
    return [{ setting, variable, flag, meaning: descriptionOf(schema) }];
  });
}

function innerOf(schema: z.core.$ZodType): z.core.$ZodType {
  return schema instanceof z.ZodExactOptional ? innerOf(schema.unwrap()) : schema;
}

function descriptionOf(schema: z.core.$ZodType): string {
  const found = z.globalRegistry.get(schema) ?? z.globalRegistry.get(innerOf(schema));
  return found?.description ?? "";
}
