import { Readable } from "node:stream";
import { expect, test } from "vitest";
import { withDefaultCommand } from "../src/default-command.ts";

function line(args: readonly string[], terminal = false): readonly string[] {
  const stdin = Object.assign(Readable.from([]), { isTTY: terminal });
  return withDefaultCommand(args, {
    stdin: () => stdin as unknown as NodeJS.ReadableStream,
    stdout: { write: () => true, isTTY: terminal },
  });
}

test("without a terminal a line that names no command means `run`", () => {
  expect(line([])).toEqual(["run"]);
  expect(line(["--json"])).toEqual(["run", "--json"]);
  expect(line(["--no-color", "--model", "gpt-4o"])).toEqual([
    "--no-color",
    "run",
    "--model",
    "gpt-4o",
  ]);
});

test("a named command, help and the version stay", () => {
  for (const args of [
    ["tour"],
    ["nonsense"],
    ["--no-color", "skillbook", "show", "--json"],
    ["--help"],
    ["-h"],
    ["--version"],
    ["--no-color", "--help"],
  ])
    expect(line(args)).toEqual(args);
});

test("on a terminal it means `chat`", () => {
  expect(line([], true)).toEqual(["chat"]);
  expect(line(["--no-color", "--continue"], true)).toEqual(["--no-color", "chat", "--continue"]);
  expect(line(["run"], true)).toEqual(["run"]);
  expect(line(["--help"], true)).toEqual(["--help"]);
});
