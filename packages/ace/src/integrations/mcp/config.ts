import { type AcumenError, LOG_LEVELS, type LogLevel } from "@acumen/core";
import { startError } from "./errors.ts";
import {
  choiceSetting,
  flagSetting,
  folderSetting,
  globsSetting,
  integerSetting,
  type Setting,
  textSetting,
} from "./setting.ts";

const DAY_SECONDS = 86_400;

/** The order is that of the documentation: the nine variables of the Python original, then ours. */
const SETTINGS = {
  defaultModel: textSetting(
    "ACE_MCP_DEFAULT_MODEL",
    "gpt-4o-mini",
    "Model of sessions that name none: an id in LiteLLM's style, or `builtin/recall` to work offline without a key.",
  ),
  safeMode: flagSetting(
    "ACE_MCP_SAFE_MODE",
    false,
    "Refuses `ace.learn.sample`, `ace.learn.feedback`, `ace.skillbook.save` and `ace.skillbook.load`; asking and reading stay.",
  ),
  maxSamplesPerCall: integerSetting(
    "ACE_MCP_MAX_SAMPLES_PER_CALL",
    25,
    { max: 1_000 },
    "Most samples of one `ace.learn.sample` call. Above 25 the published schema is raised with it.",
  ),
  maxPromptChars: integerSetting(
    "ACE_MCP_MAX_PROMPT_CHARS",
    100_000,
    { max: 50_000_000 },
    "Most characters of one question (or one sample, or one feedback) together with its context, answer, feedback, ground truth and metadata. Above 100000 the published schema is raised with it.",
  ),
  sessionTtlSeconds: integerSetting(
    "ACE_MCP_SESSION_TTL_SECONDS",
    3_600,
    { max: 365 * DAY_SECONDS },
    "How long a session is kept after the end of its last call. A session at work never expires.",
  ),
  allowSaveLoad: flagSetting(
    "ACE_MCP_ALLOW_SAVE_LOAD",
    true,
    "When `false`, refuses `ace.skillbook.save` and `ace.skillbook.load`, whatever the safe mode says.",
  ),
  learnTimeoutSeconds: integerSetting(
    "ACE_MCP_LEARN_TIMEOUT_SECONDS",
    300,
    { max: DAY_SECONDS },
    "Deadline of a learning call, counted from the moment at which its session is free. What had been learned by then stays.",
  ),
  skillbookRoot: folderSetting(
    "ACE_MCP_SKILLBOOK_ROOT",
    "Folder that save and load are confined to; relative paths start there. Set it wherever a model chooses the paths.",
  ),
  logLevel: choiceSetting(
    "ACE_MCP_LOG_LEVEL",
    "INFO",
    ["DEBUG", "INFO", "WARNING", "ERROR"],
    "Least severity of the log lines on stderr. Unset: what `ACUMEN_LOG` says (debug, info, warn, error), else INFO.",
  ),
  toolNames: choiceSetting(
    "ACE_MCP_TOOL_NAMES",
    "dotted",
    ["dotted", "underscore"],
    "Spelling that `tools/list` shows: `ace.ask` or `ace_ask`. Some hosts refuse dots. Calls are served in both spellings.",
  ),
  autosave: flagSetting(
    "ACE_MCP_AUTOSAVE",
    false,
    "Writes a session's skillbook below `<root>/.ace-sessions` after every change, before the reply, and restores it at the session's first use. Needs `ACE_MCP_SKILLBOOK_ROOT`.",
  ),
  sessionNamespace: textSetting(
    "ACE_MCP_SESSION_NAMESPACE",
    "",
    "Keeps autosaved sessions of the same name apart, for example one value per project.",
  ),
  maxSessions: integerSetting(
    "ACE_MCP_MAX_SESSIONS",
    1_000,
    { max: 100_000 },
    "Most sessions at a time. The longest-idle one without unsaved changes makes room for a new one.",
  ),
  maxCallChars: integerSetting(
    "ACE_MCP_MAX_CALL_CHARS",
    2_500_000,
    { max: 60_000_000 },
    "Most characters of one call in total.",
  ),
  askTimeoutSeconds: integerSetting(
    "ACE_MCP_ASK_TIMEOUT_SECONDS",
    120,
    { max: DAY_SECONDS },
    "Deadline of `ace.ask`, counted like that of learning.",
  ),
  allowedModels: globsSetting(
    "ACE_MCP_ALLOWED_MODELS",
    "Models that `session_config.model` may name, for example `openai/*,builtin/recall`. Unset: any model but `scripted/…`.",
  ),
} as const;

type Settings = typeof SETTINGS;

/** The server's settings after parsing; names and defaults follow the Python original where it has them. */
export type McpServerConfig = {
  readonly [Key in keyof Settings]: Settings[Key] extends Setting<infer T> ? T : never;
};

export interface ConfigRow {
  readonly variable: string;
  readonly default: string;
  readonly type: string;
  readonly description: string;
}

/** The documentation's table of variables, in its order. */
export const CONFIG_ROWS: readonly ConfigRow[] = Object.values(SETTINGS).map((setting) => ({
  variable: setting.variable,
  default: setting.shown,
  type: setting.type,
  description: setting.description,
}));

const PREFIX = "ACE_MCP_";

const LEVEL_NAMES = { debug: "DEBUG", info: "INFO", warn: "WARNING", error: "ERROR" } as const;

interface Problem {
  readonly variable: string;
  readonly message: string;
}

/**
 * Reads the `ACE_MCP_*` variables of an environment; names count in any case, an empty value counts as unset.
 * @throws ACE_MCP_CONFIG_INVALID naming every bad variable in one message (`details.problems`); an unknown variable is
 * bad too, because a misspelt ACE_MCP_SAFE_MODE would leave the server open without a word.
 */
export function parseConfig(env: Readonly<Record<string, string | undefined>>): McpServerConfig {
  const given = ownVariables(env);
  const problems: Problem[] = [];
  const { variable: level } = SETTINGS.logLevel;
  if (!given.has(level)) given.set(level, sharedLogLevel(env, problems));
  const values: Record<string, unknown> = {};
  for (const [key, setting] of Object.entries<Setting<unknown>>(SETTINGS)) {
    const text = given.get(setting.variable);
    given.delete(setting.variable);
    values[key] = text === undefined ? setting.fallback : valueOf(setting, text, problems);
  }
  for (const variable of given.keys())
    problems.push({ variable, message: "there is no such variable" });
  if (values["autosave"] === true && values["skillbookRoot"] === undefined) {
    problems.push({
      variable: "ACE_MCP_AUTOSAVE",
      message: "true needs a folder in ACE_MCP_SKILLBOOK_ROOT",
    });
  }
  if (problems.length > 0) throw invalidConfig(problems);
  return checked(values);
}

/** The log level of our logger for a documented level name. */
export function logLevelOf(config: McpServerConfig): LogLevel {
  return LOG_LEVELS.find((level) => LEVEL_NAMES[level] === config.logLevel) ?? "info";
}

/** `ACUMEN_LOG` counts for every program of Acumen; our own variable comes first. */
function sharedLogLevel(
  { ACUMEN_LOG: text = "" }: Readonly<Record<string, string | undefined>>,
  problems: Problem[],
): McpServerConfig["logLevel"] {
  const word = text.trim().toLowerCase();
  const { fallback } = SETTINGS.logLevel;
  if (word === "") return fallback;
  const level = LOG_LEVELS.find((candidate) => candidate === word);
  if (level !== undefined) return LEVEL_NAMES[level];
  const got = JSON.stringify(text.slice(0, 60));
  const message = `expected one of ${LOG_LEVELS.join(", ")}, got ${got}`;
  problems.push({ variable: "ACUMEN_LOG", message });
  return fallback;
}

function valueOf(setting: Setting<unknown>, text: string, problems: Problem[]): unknown {
  const parsed = setting.parse(text);
  if (parsed.ok) return parsed.value;
  problems.push({
    variable: setting.variable,
    message: `expected ${parsed.expected}, got ${JSON.stringify(text.slice(0, 60))}`,
  });
  return undefined;
}

/** An exact upper-case name wins over another spelling of the same name. */
function ownVariables(env: Readonly<Record<string, string | undefined>>): Map<string, string> {
  const found = new Map<string, string>();
  for (const [name, value] of Object.entries(env)) {
    const upper = name.toUpperCase();
    if (!upper.startsWith(PREFIX) || value === undefined || value.trim() === "") continue;
    if (name === upper || !found.has(upper)) found.set(upper, value);
  }
  return found;
}

function invalidConfig(problems: readonly Problem[]): AcumenError {
  const lines = problems.map(({ variable, message }) => `  ${variable}: ${message}`);
  const head =
    problems.length === 1
      ? "A setting is not valid:"
      : `${problems.length} settings are not valid:`;
  return startError(
    "ACE_MCP_CONFIG_INVALID",
    `${[head, ...lines].join("\n")}\nRun ace-mcp --help for the list of variables.`,
    { details: { problems } },
  );
}

function checked(values: Record<string, unknown>): McpServerConfig {
  // Every key of SETTINGS was filled by its own parser or default just above.
  return Object.freeze(values) as McpServerConfig;
}
