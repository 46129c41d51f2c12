import { ACE_ERRORS } from "@acumen/ace";
import { MCP_ERRORS, MCP_START_ERRORS } from "@acumen/ace/mcp";
import { AGENT_ERRORS, EVENT_TYPES } from "@acumen/agent";
import { CLI_ERRORS } from "@acumen/cli";
import { CORE_ERRORS, type ErrorRow } from "@acumen/core";
import { FACADE_ERRORS } from "@acumen/facade";
import { MODELS_ERRORS } from "@acumen/models";
import { describe, expect, test } from "vitest";
import { readText, trackedFiles } from "./support/repository.ts";

const TABLES: Readonly<Record<string, Readonly<Record<string, ErrorRow>>>> = {
  "packages/core/src/errors.ts": CORE_ERRORS,
  "packages/models/src/errors.ts": MODELS_ERRORS,
  "packages/ace/src/errors.ts": ACE_ERRORS,
  "packages/ace/src/integrations/mcp/errors.ts": { ...MCP_ERRORS, ...MCP_START_ERRORS },
  "packages/agent/src/errors.ts": AGENT_ERRORS,
  "packages/facade/src/errors.ts": FACADE_ERRORS,
  "packages/cli/src/errors.ts": CLI_ERRORS,
};
const CODE = /"((?:CORE|MODEL|ACE|ACE_MCP|AGENT|FACADE|CLI)_[A-Z]+(?:_[A-Z]+)*)"/g;
const codes = Object.values(TABLES).flatMap(Object.keys);
const products = trackedFiles("packages/*/src/**/*.ts").filter(
  (path) => !path.includes("/testkit/"),
);
const sources = products.map((path) => ({
  path,
  // Event types look like codes and stand in a table of their own.
  found: new Set(
    [...readText(path).matchAll(CODE)]
      .map((match) => match[1] ?? "")
      .filter((code) => !(EVENT_TYPES as readonly string[]).includes(code)),
  ),
}));

describe("error codes", () => {
  test("stand in one table each", () => {
    expect(codes).toHaveLength(new Set(codes).size);
    for (const { path } of sources.filter(({ path: file }) => file.endsWith("/errors.ts")))
      expect(Object.keys(TABLES)).toContain(path);
  });

  test("say what they mean and what to do, in sentences", () => {
    for (const table of Object.values(TABLES)) {
      for (const [code, { meaning, remedy }] of Object.entries(table)) {
        expect(meaning, code).toMatch(/^[A-Z`].{20,}[.]$/s);
        expect(remedy, code).toMatch(/^[A-Z`].{10,}[.]$/s);
      }
    }
  });

  test("are each raised by some source file: a table has no dead rows", () => {
    const raised = new Set(
      sources.filter(({ path }) => !Object.hasOwn(TABLES, path)).flatMap(({ found }) => [...found]),
    );
    const ownFile = Object.keys(TABLES).flatMap((path) =>
      // A factory beside the table (such as modelError) raises its code there.
      [...readText(path).matchAll(/Error\(\s*"([A-Z_]+)"/g)].map((match) => match[1] ?? ""),
    );
    for (const code of ownFile) raised.add(code);
    // Made as a literal in the mapping of unknown failures.
    const mapped = codes.filter((code) =>
      Object.keys(TABLES).some((path) => readText(path).includes(`code: "${code}"`)),
    );
    for (const code of mapped) raised.add(code);
    expect(codes.filter((code) => !raised.has(code))).toEqual([]);
  });

  test("in the sources are in a table: variables of the environment aside, no code is made up", () => {
    const variables = new Set(
      [...readText("docs/configuration.md").matchAll(/`(ACE_MCP_[A-Z_]+)`/g)].map(
        (match) => match[1] ?? "",
      ),
    );
    const unknown = sources.flatMap(({ path, found }) =>
      [...found]
        .filter((code) => !codes.includes(code) && !variables.has(code))
        .map((code) => `${path}: ${code}`),
    );
    expect(unknown).toEqual([]);
  });
});
