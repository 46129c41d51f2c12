import { expect, test } from "vitest";
import { readEnvironment } from "../src/environment.ts";

test("colours are off under NO_COLOR and on a dumb terminal", () => {
  expect(readEnvironment({})).toEqual({ logLevel: "warn", color: true, variables: {} });
  expect(readEnvironment({ NO_COLOR: "1" }).color).toBe(false);
  expect(readEnvironment({ NO_COLOR: "" }).color).toBe(true);
  expect(readEnvironment({ TERM: "dumb" }).color).toBe(false);
});

test("an unknown log level is refused by name", () => {
  expect(readEnvironment({ ACUMEN_LOG: "debug" }).logLevel).toBe("debug");
  expect(() => readEnvironment({ ACUMEN_LOG: "loud" })).toThrow(
    /ACUMEN_LOG is "loud".*debug, info/,
  );
});
