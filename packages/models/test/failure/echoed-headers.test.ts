import { inspect } from "node:util";
import { describe, expect, test } from "vitest";
import { resolveModel } from "../../src/index.ts";
import { ask, collect, failureOf } from "../support/wires.ts";

const KEYS = {
  OPENAI_API_KEY: "key-canary-0123456789",
  OPENAI_ORG_ID: "org-canary",
  OPENAI_PROJECT_ID: "proj_canary",
  ANTHROPIC_API_KEY: "anthropic-canary-0123456789",
  GEMINI_API_KEY: "gemini-canary-0123456789",
  AWS_ACCESS_KEY_ID: "AKIACANARY0123456789",
  AWS_SECRET_ACCESS_KEY: "aws-secret-canary",
  AWS_SESSION_TOKEN: "aws-session-canary",
  AWS_REGION: "us-east-1",
  OPENAI_COMPATIBLE_BASE_URL: "http://127.0.0.1:9/v1",
  OPENAI_COMPATIBLE_API_KEY: "compatible-canary-0123456789",
};

const DUMPS: readonly (readonly [string, (headers: readonly [string, string][]) => string])[] = [
  ["lines", (all) => all.map(([name, value]) => `${name}: ${value}`).join("\n")],
  [
    "lines from the end",
    (all) =>
      all
        .map((pair) => pair.join(":"))
        .toReversed()
        .join("\r\n"),
  ],
  ["JSON", (all) => JSON.stringify(Object.fromEntries(all))],
  ["JSON in JSON", (all) => JSON.stringify(JSON.stringify(Object.fromEntries(all)))],
  [
    "lists",
    (all) => JSON.stringify(Object.fromEntries(all.map(([name, value]) => [name, [value]]))),
  ],
  ["pairs", (all) => inspect(all, { breakLength: Infinity })],
  ["Python", (all) => `{${all.map(([name, value]) => `'${name}': '${value}'`).join(", ")}}`],
  [
    "what AWS says of a signature",
    (all) =>
      `The request signature we calculated does not match the signature you provided. The Canonical String for this request should have been 'POST\n/model\n\n${all.map((pair) => pair.join(":")).join("\n")}'`,
  ],
];

describe.each([
  "gpt-5.1",
  "claude-haiku-4-5",
  "gemini-2.5-flash",
  "bedrock/amazon.nova-pro-v1:0",
  "openai_compatible/m",
])("%s: a service that repeats the headers of the request", (id) => {
  test.each(DUMPS)("as %s", async (_form, dump) => {
    for (const status of [400, 403, 429]) {
      let sent: [string, string][] = [];
      const fetch: typeof globalThis.fetch = (_input, init) => {
        sent = [...new Headers(init?.headers)];
        const message = `Refused. ${dump(sent)}`;
        return Promise.resolve(Response.json({ error: { message }, message }, { status }));
      };
      const model = await resolveModel(id, { env: KEYS, fetch, retry: { attempts: 1 } });
      for (const work of [
        () => model.generate({ messages: ask("hi") }),
        () => collect(model.stream({ messages: ask("hi") })),
      ]) {
        const shown = inspect(await failureOf(work()), { depth: 10, showHidden: true });
        expect(sent.length).toBeGreaterThan(1);
        for (const [, value] of sent) expect(shown).not.toContain(value);
        expect(shown).not.toContain("canary");
      }
    }
  });
});
