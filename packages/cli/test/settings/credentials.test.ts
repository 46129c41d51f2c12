import { chmod, mkdir, readFile, stat, writeFile } from "node:fs/promises";
import { AcumenError } from "@acumen/core";
import { tempFolder } from "@acumen/testkit";
import { expect, test } from "vitest";
import { exitCodeOf } from "../../src/exit-code.ts";
import { readStoredKeys, writeStoredKeys } from "../../src/settings/credentials.ts";
import { CANARY } from "../support/canary.ts";

test("keys come back, from a file that only its owner can read, also over an open one", async () => {
  await using folder = await tempFolder();
  const path = folder.join("credentials.json");
  expect(await readStoredKeys(path)).toEqual({});
  await writeFile(path, "old", { mode: 0o644 });
  await writeStoredKeys(path, { OPENAI_API_KEY: CANARY, ANTHROPIC_API_KEY: "sk-ant" });
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  expect(await readStoredKeys(path)).toEqual({
    ANTHROPIC_API_KEY: "sk-ant",
    OPENAI_API_KEY: CANARY,
  });
  expect(JSON.parse(await readFile(path, "utf8"))).toMatchObject({ version: 1 });
});

test.each([0o640, 0o604, 0o620, 0o602])("a file of mode %o is not used", async (mode) => {
  await using folder = await tempFolder();
  const path = folder.join("credentials.json");
  await writeStoredKeys(path, { OPENAI_API_KEY: CANARY });
  await chmod(path, mode);
  await expect(readStoredKeys(path)).rejects.toMatchObject({
    code: "CLI_CREDENTIALS_EXPOSED",
    message: expect.stringContaining(`chmod 600 ${path}`),
  });
});

test.each([
  ["no JSON", `{"keys": ${CANARY}`, "is not valid JSON"],
  ["a list", `["${CANARY}"]`, "must be"],
  ["no version", `{"keys":{"OPENAI_API_KEY":"${CANARY}"}}`, "must be"],
  ["a newer version", `{"version":2,"keys":{"OPENAI_API_KEY":"${CANARY}"}}`, "newer Acumen"],
  ["another field", `{"version":1,"keys":{},"${CANARY}":1}`, "must be"],
  [
    "a misspelt name",
    `{"version":1,"keys":{"OPENAI_API_KYE":"${CANARY}"}}`,
    "did you mean OPENAI_API_KEY?",
  ],
  ["a key as name", `{"version":1,"keys":{"${CANARY}":"x"}}`, "a variable that no provider uses"],
  ["a number", `{"version":1,"keys":{"OPENAI_API_KEY":1}}`, "OPENAI_API_KEY is no text"],
  [
    "a line break",
    `{"version":1,"keys":{"OPENAI_API_KEY":"${CANARY}\\nx"}}`,
    "characters that no key has",
  ],
])("a file with %s is refused without showing a key", async (_case, text, expected) => {
  await using folder = await tempFolder();
  const path = folder.join("credentials.json");
  await writeFile(path, text, { mode: 0o600 });
  const error = await readStoredKeys(path).then(
    () => new Error("accepted"),
    (thrown: unknown) => thrown as Error,
  );
  expect(error).toMatchObject({ code: "CLI_CREDENTIALS_INVALID" });
  expect(error.message).toContain(expected);
  const { stack = "", cause } = error;
  expect(`${stack} ${String(cause)} ${JSON.stringify(error)}`).not.toContain(CANARY);
});

test.each([
  ["a folder", (path: string) => mkdir(path, { mode: 0o700 }), "is not a regular file"],
  [
    "a file over 1 MiB",
    (path: string) => writeFile(path, CANARY.repeat(100_000), { mode: 0o600 }),
    "at most 1048576 are read",
  ],
])("%s in the place of the file is a fault of the configuration", async (_case, make, reason) => {
  await using folder = await tempFolder();
  const path = folder.join("credentials.json");
  await make(path);
  const failure: unknown = await readStoredKeys(path).catch((error: unknown) => error);
  if (!AcumenError.isInstance(failure)) throw failure;
  expect(failure).toMatchObject({
    code: "CLI_CREDENTIALS_INVALID",
    message: expect.stringContaining(reason),
    details: { path },
  });
  expect(exitCodeOf(failure)).toBe(2);
});
