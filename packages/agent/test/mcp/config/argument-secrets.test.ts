import { describe, expect, test } from "vitest";
import { parseServerDefinition } from "../../../src/mcp/config/parse-server-definition.ts";

const options = { environment: { HOME: "/home/user" }, expand: true };
const secretsOf = (raw: unknown): readonly string[] => parseServerDefinition(raw, options).secrets;

describe.each([
  ["of a definition that can be used", {}],
  ["of one that cannot", { timeoutMs: "soon" }],
])("arguments %s", (_which, more) => {
  test.each<[readonly string[], readonly string[]]>([
    [["--token=abc-0123456789"], ["abc-0123456789"]],
    [["--api-key", "abc-0123456789"], ["abc-0123456789"]],
    [["--apiKey", "abc-0123456789", "--verbose"], ["abc-0123456789"]],
    [["-e", "PROD_SERVER_TOKEN=abc-0123456789"], ["abc-0123456789"]],
    [["--access-token"], []],
    [
      ["--header", "Authorization: Bearer abc-0123456789"],
      ["Bearer abc-0123456789", "abc-0123456789"],
    ],
    [["--header=X-Api-Key: abc-0123456789"], ["abc-0123456789"]],
    [["https://example.org/mcp?api_key=abc-0123456789&page=1"], ["abc-0123456789"]],
    [["--url=https://example.org/?token=abc-0123456789"], ["abc-0123456789"]],
    [["--password", "--force"], []],
    [["--key-file", "/etc/keys/one.pem", "--token-env-var=MY_TOKEN_NAME"], []],
    [["--monkey=abc-0123456789", "--signal", "15", "token", "words"], []],
    [["-y", "@modelcontextprotocol/server-memory"], []],
  ])("%j hold %j", (args, expected) => {
    expect(secretsOf({ command: "c", args, ...more })).toEqual(expected);
  });
});

test("of an unusable definition numbers, truth values and what is nested are secrets too", () => {
  expect(
    secretsOf({
      comand: "c",
      env: { A: 1234567890, B: false, C: ["listed-secret"], D: { e: "nested-secret" } },
      headers: "not-an-object",
      url: "https://user:pass-in-address@example.org/?token=abc-0123456789",
    }),
  ).toEqual([
    "1234567890",
    "false",
    "listed-secret",
    "nested-secret",
    "not-an-object",
    "abc-0123456789",
    "pass-in-address",
  ]);
});

test("behind a scheme a value of a variable is a secret by itself", () => {
  expect(secretsOf({ command: "c", env: { AUTH: "Bearer abc-0123456789" } })).toEqual([
    "Bearer abc-0123456789",
    "abc-0123456789",
  ]);
});
