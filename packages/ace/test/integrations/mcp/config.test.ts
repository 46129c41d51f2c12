import { AcumenError } from "@acumen/core";
import { tempFolder } from "@acumen/testkit";
import { writeFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { CONFIG_ROWS, parseConfig } from "../../../src/integrations/mcp/config.ts";

function configError(env: Record<string, string>): AcumenError {
  try {
    parseConfig(env);
  } catch (error) {
    if (AcumenError.isInstance(error)) return error;
  }
  throw new Error("the configuration should have been refused");
}

describe("parseConfig", () => {
  it("has the nine documented variables with their documented defaults", () => {
    expect(parseConfig({})).toMatchObject({
      defaultModel: "gpt-4o-mini",
      safeMode: false,
      maxSamplesPerCall: 25,
      maxPromptChars: 100_000,
      sessionTtlSeconds: 3_600,
      allowSaveLoad: true,
      learnTimeoutSeconds: 300,
      skillbookRoot: undefined,
      logLevel: "INFO",
    });
  });

  it("has the variables that this server adds", () => {
    expect(parseConfig({})).toMatchObject({
      toolNames: "dotted",
      autosave: false,
      sessionNamespace: "",
      maxSessions: 1_000,
      maxCallChars: 2_500_000,
      askTimeoutSeconds: 120,
      allowedModels: undefined,
    });
  });

  it("takes the log level of ACUMEN_LOG when its own variable is unset", () => {
    expect(parseConfig({ ACUMEN_LOG: "debug" }).logLevel).toBe("DEBUG");
    expect(parseConfig({ ACUMEN_LOG: "warn" }).logLevel).toBe("WARNING");
    expect(parseConfig({ ACUMEN_LOG: " " }).logLevel).toBe("INFO");
    const both = { ACUMEN_LOG: "debug", ACE_MCP_LOG_LEVEL: "ERROR" };
    expect(parseConfig(both).logLevel).toBe("ERROR");
    expect(configError({ ACUMEN_LOG: "loud" }).message).toMatch(
      /ACUMEN_LOG: expected one of debug, info, warn, error, got "loud"/,
    );
  });

  it("reads every variable", async () => {
    await using folder = await tempFolder();
    expect(
      parseConfig({
        ACE_MCP_DEFAULT_MODEL: " builtin/recall ",
        ACE_MCP_SAFE_MODE: "TRUE",
        ACE_MCP_MAX_SAMPLES_PER_CALL: "50",
        ACE_MCP_MAX_PROMPT_CHARS: "10",
        ACE_MCP_SESSION_TTL_SECONDS: "1",
        ACE_MCP_ALLOW_SAVE_LOAD: "0",
        ACE_MCP_LEARN_TIMEOUT_SECONDS: "2",
        ACE_MCP_SKILLBOOK_ROOT: folder.path,
        ACE_MCP_LOG_LEVEL: "debug",
        ACE_MCP_TOOL_NAMES: "underscore",
        ACE_MCP_AUTOSAVE: "yes",
        ACE_MCP_SESSION_NAMESPACE: "project",
        ACE_MCP_MAX_SESSIONS: "3",
        ACE_MCP_MAX_CALL_CHARS: "99",
        ACE_MCP_ASK_TIMEOUT_SECONDS: "4",
        ACE_MCP_ALLOWED_MODELS: "openai/*, builtin/recall",
      }),
    ).toEqual({
      defaultModel: "builtin/recall",
      safeMode: true,
      maxSamplesPerCall: 50,
      maxPromptChars: 10,
      sessionTtlSeconds: 1,
      allowSaveLoad: false,
      learnTimeoutSeconds: 2,
      skillbookRoot: folder.path,
      logLevel: "DEBUG",
      toolNames: "underscore",
      autosave: true,
      sessionNamespace: "project",
      maxSessions: 3,
      maxCallChars: 99,
      askTimeoutSeconds: 4,
      allowedModels: ["openai/*", "builtin/recall"],
    });
  });

  it("takes names in any case, an exact name first, and an empty value as unset", () => {
    expect(parseConfig({ ace_mcp_safe_mode: "true" }).safeMode).toBe(true);
    expect(parseConfig({ ace_mcp_safe_mode: "true", ACE_MCP_SAFE_MODE: "false" }).safeMode).toBe(
      false,
    );
    expect(parseConfig({ ACE_MCP_SKILLBOOK_ROOT: "", ACE_MCP_LOG_LEVEL: " " })).toMatchObject({
      skillbookRoot: undefined,
      logLevel: "INFO",
    });
  });

  it("names every bad variable in one message, an unknown log level too", () => {
    const error = configError({
      ACE_MCP_SAFE_MODE: "maybe",
      ACE_MCP_LOG_LEVEL: "LOUD",
      ACE_MCP_MAX_SESSIONS: "0",
      ACE_MCP_LEARN_TIMEOUT_SECONDS: "1.5",
      ACE_MCP_TOOL_NAMES: "camel",
      ACE_MCP_ALLOWED_MODELS: ",",
    });
    expect(error.code).toBe("ACE_MCP_CONFIG_INVALID");
    for (const name of ["SAFE_MODE", "LOG_LEVEL", "MAX_SESSIONS", "LEARN_TIMEOUT_SECONDS"])
      expect(error.message).toContain(`ACE_MCP_${name}: expected`);
    expect(error.message).toContain("one of DEBUG, INFO, WARNING, ERROR");
    expect(error.details["problems"]).toHaveLength(6);
  });

  it("refuses a misspelt variable: a safe mode that is off without a word would be worse", () => {
    expect(configError({ ACE_MCP_SAFEMODE: "true" }).message).toContain(
      "ACE_MCP_SAFEMODE: there is no such variable",
    );
  });

  it("refuses autosave without a root, and a root that is a file", async () => {
    await using folder = await tempFolder();
    await writeFile(folder.join("file"), "");
    expect(configError({ ACE_MCP_AUTOSAVE: "true" }).message).toContain("ACE_MCP_SKILLBOOK_ROOT");
    expect(configError({ ACE_MCP_SKILLBOOK_ROOT: folder.join("file") }).message).toContain(
      "ACE_MCP_SKILLBOOK_ROOT",
    );
    expect(parseConfig({ ACE_MCP_SKILLBOOK_ROOT: folder.join("made-later") }).skillbookRoot).toBe(
      folder.join("made-later"),
    );
  });

  it("documents every variable", () => {
    expect(CONFIG_ROWS).toHaveLength(16);
    for (const row of CONFIG_ROWS) {
      expect(row.variable).toMatch(/^ACE_MCP_[A-Z_]+$/);
      expect(row.description).not.toBe("");
      expect(row.type).not.toBe("");
    }
    expect(CONFIG_ROWS[0]).toMatchObject({
      variable: "ACE_MCP_DEFAULT_MODEL",
      default: "`gpt-4o-mini`",
    });
  });
});
