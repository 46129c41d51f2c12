import { AcumenError } from "@acumen/core";
import { describe, expect, test } from "vitest";
import { PROVIDERS, resolveModel } from "../../src/index.ts";
import { ask, failureOf } from "../support/wires.ts";

const ADDRESS = {
  AZURE_API_BASE: "https://res.openai.azure.com",
  AZURE_AI_API_BASE: "https://res.services.ai.azure.com",
};
const installed = PROVIDERS.filter(({ driver }) => driver !== "vertex" && driver !== "openrouter");

describe("keys", () => {
  test.each(installed.filter((row) => row.keyOptional !== true))(
    "$title without a key: the error names variable and remedy",
    async (row) => {
      const failure = await failureOf(resolveModel(`${row.prefix}/some-model`, { env: ADDRESS }));
      if (!AcumenError.isInstance(failure)) throw failure;
      expect(failure.details).toEqual({
        provider: row.prefix,
        model: "some-model",
        kind: "auth",
        retryable: false,
      });
      for (const variable of row.keyVariables) expect(failure.message).toContain(variable);
    },
  );

  test("nothing but the given environment is looked at", async () => {
    process.env["OPENAI_API_KEY"] = "key-of-the-process";
    try {
      expect(await failureOf(resolveModel("gpt-4.1", { env: {} }))).toMatchObject({
        details: { kind: "auth" },
      });
    } finally {
      delete process.env["OPENAI_API_KEY"];
    }
  });

  test("a blank key is none", async () => {
    const failure = await failureOf(resolveModel("gpt-4.1", { env: { OPENAI_API_KEY: "  " } }));
    expect(failure).toMatchObject({ details: { kind: "auth" } });
  });

  test.each(["key\nwith-a-break", "“quoted-key”", "key\u0000"])(
    "a key that no header takes is refused without being shown",
    async (key) => {
      const failure = await failureOf(resolveModel("gpt-4.1", { env: { OPENAI_API_KEY: key } }));
      expect(failure).toMatchObject({ details: { kind: "auth" } });
      expect(String(failure)).toContain("OPENAI_API_KEY");
      expect(String(failure)).not.toContain("key\n");
      expect(String(failure)).not.toContain("quoted");
    },
  );

  test("spaces and a line end around a key, as files have them, do not matter", async () => {
    const model = await resolveModel("gpt-4.1", {
      env: { OPENAI_API_KEY: " sk-test-0123456789\n" },
    });
    expect(model).toMatchObject({ provider: "openai", model: "gpt-4.1" });
  });
});

test.each(PROVIDERS.filter(({ driver }) => !["bedrock", "vertex", "openrouter"].includes(driver)))(
  "$title refuses a key: the error names the variable that it came from",
  async (row) => {
    const fetch: typeof globalThis.fetch = () =>
      Promise.resolve(Response.json({ error: { message: "no" } }, { status: 401 }));
    for (const variable of row.keyVariables) {
      const env = {
        [variable]: "key-0123456789",
        ...ADDRESS,
        OPENAI_COMPATIBLE_BASE_URL: "http://127.0.0.1:9/v1",
      };
      const model = await resolveModel(`${row.prefix}/m`, { env, fetch });
      const failure = await failureOf(model.generate({ messages: ask("hi") }));
      expect(String(failure)).toContain(`Check ${variable} and`);
    }
  },
);

describe("optional providers", () => {
  test.each(PROVIDERS.filter(({ peer }) => peer !== undefined))(
    "$title, when its package is not installed: the error says what to install",
    async (row) => {
      const failure = await failureOf(
        resolveModel(`${row.prefix}/m`, {
          env: {},
          loadPackage: (name) =>
            Promise.reject(
              Object.assign(new Error(`Cannot find package '${name}' imported from here`), {
                code: "ERR_MODULE_NOT_FOUND",
              }),
            ),
        }),
      );
      expect(failure).toMatchObject({
        code: "MODEL_FAILED",
        details: { provider: row.prefix, kind: "not_installed", retryable: false },
      });
      expect(String(failure)).toContain(`npm install ${row.package}@${row.peer}`);
    },
  );

  test("a package that is broken is not told as missing", async () => {
    const failure = await failureOf(
      resolveModel("groq/m", {
        env: {},
        loadPackage: () =>
          Promise.reject(
            Object.assign(new Error("Cannot find module '/somewhere/else.js'"), {
              code: "ERR_MODULE_NOT_FOUND",
            }),
          ),
      }),
    );
    expect(failure).toMatchObject({ details: { kind: "not_installed" } });
    expect(String(failure)).toContain("cannot be loaded");
  });

  test("a version without the factory", async () => {
    const loadPackage = (): Promise<unknown> => Promise.resolve({});
    const failure = await failureOf(resolveModel("groq/m", { env: {}, loadPackage }));
    expect(failure).toMatchObject({ details: { kind: "not_installed" } });
    expect(String(failure)).toContain("another version");
  });
});

describe("scripted models", () => {
  test.each(["scripted//tmp/x.json", "recorded//tmp/x.jsonl"])(
    "%s is refused unless it was allowed",
    async (id) => {
      expect(await failureOf(resolveModel(id, { env: {} }))).toMatchObject({
        code: "MODEL_FAILED",
        details: { kind: "unknown_model" },
      });
    },
  );
});
