import { existsSync } from "node:fs";
import { sourceCommand, startProcess } from "@acumen/testkit";
import { expect, it } from "vitest";

const BIN = new URL("../src/bin.ts", import.meta.url);

it("output that cannot be written is a failure, said in one line", async () => {
  // Linux alone has a file that is always full; elsewhere a test would need a disk of its own.
  const target = existsSync("/dev/full") ? "/dev/full" : undefined;
  const { command, args } = sourceCommand(BIN, ["--help"]);
  const line = [command, ...args].map((word) => `'${word}'`).join(" ");
  await using child = startProcess({
    command: "sh",
    args: ["-c", `${line} > ${target ?? "/dev/null"}`],
  });
  const { code } = await child.exited;
  expect(code).toBe(target === undefined ? 0 : 1);
  if (target !== undefined)
    expect(child.stderr()).toMatch(/^acumen: the output could not be written \(ENOSPC\).*\n$/);
});
