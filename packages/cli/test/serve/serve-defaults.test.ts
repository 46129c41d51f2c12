import { tempFolder } from "@acumen/testkit";
import { expect, test } from "vitest";
import { runMain } from "../support/run-main.ts";

test("without flags it listens at port 4747 of this machine alone", async () => {
  await using home = await tempFolder("acumen-serve");
  const { stdout } = await runMain(["serve", "--help"], { home: home.path });
  const text = stdout.replace(/\s+/g, " ");
  expect(text).toMatch(/--port <port> .*?\(default: 4747\)/);
  expect(text).toMatch(/--host <address> where to listen \(default: "127\.0\.0\.1"\)/);
});
