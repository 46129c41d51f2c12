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
      "Marks children of the agent: commands that grant rights, such as `acumen setup`, refuse.",
  },
];

/** The settings of the file in its order, then what only variables and flags say. */
export const SETTING_ROWS: readonly SettingRow[] = [
  ...Object.entries(settingsSchema.shape).map(([setting, schema]) => ({
    setting,
    variable: OVERRIDES[setting]?.variable ?? "",
    flag: OVERRIDES[setting]?.flag ?? "",
    meaning: descriptionOf(schema),
  })),
  ...OUTSIDE,
];

function descriptionOf(schema: z.core.$ZodType): string {
  const inner = schema instanceof z.ZodExactOptional ? schema.unwrap() : schema;
  const found = z.globalRegistry.get(schema) ?? z.globalRegistry.get(inner);
  return found?.description ?? "";
}
