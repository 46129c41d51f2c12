import fc from "fast-check";
import { expect, test } from "vitest";
import { clientFeatures } from "../../src/client/client-features.ts";
import { NO_FEATURES } from "./support/client-bench.ts";

type Capabilities = NonNullable<Parameters<typeof clientFeatures>[0]["clientCapabilities"]>;
const featuresOf = (said: unknown) => clientFeatures({ clientCapabilities: said as Capabilities });

test("what a host says that it can do is what it can do", () => {
  expect(
    featuresOf({
      fs: { readTextFile: true, writeTextFile: true },
      terminal: true,
      auth: { terminal: true },
      session: { notices: {}, compaction: {} },
      elicitation: { form: {}, url: {} },
    }),
  ).toEqual({
    readTextFile: true,
    writeTextFile: true,
    terminal: true,
    notices: true,
    compaction: true,
    terminalAuth: true,
    formElicitation: true,
  });
  expect(featuresOf({ fs: { readTextFile: true } })).toEqual({
    ...NO_FEATURES,
    readTextFile: true,
  });
});

test.each([
  undefined,
  null,
  "all",
  [],
  { fs: "x", terminal: "yes", session: true, auth: 1, elicitation: "form" },
  { fs: null, terminal: 1, session: null, auth: null, elicitation: null },
  { fs: { readTextFile: "true", writeTextFile: {} }, auth: { terminal: {} } },
  { session: { notices: true, compaction: null }, elicitation: { form: true } },
  { session: { notices: [], compaction: "x" }, elicitation: {} },
])("%j says nothing that counts", (said) => {
  expect(featuresOf(said)).toEqual(NO_FEATURES);
});

test("whatever is said, the answer is one of yes and no", () => {
  fc.assert(
    fc.property(fc.anything(), (said) => {
      for (const value of Object.values(featuresOf(said))) expect(value).toBeTypeOf("boolean");
    }),
  );
});
