import { tempFolder } from "@acumen/testkit";
import { readdir, readFile, stat } from "node:fs/promises";
import { expect, test } from "vitest";
import { createRedactor } from "../../../src/redaction/redactor.ts";
import { SHOWN_BYTES } from "../../../src/tools/bash/command-output.ts";
import { OutputFile } from "../../../src/tools/bash/output-file.ts";
import { bashBench } from "./fixture.ts";

const MIB = 1024 * 1024;

test("a file for an output takes no more than its limit, and says so", async () => {
  await using folder = await tempFolder();
  const file = new OutputFile({
    folder: () => Promise.resolve(folder.path),
    name: "7-bash",
    limit: 10,
  });
  await file.write(Buffer.from("1234567"));
  await file.write(Buffer.from("89abcdef"));
  expect(file.write(Buffer.from("more"))).toBeUndefined();
  const written = await file.end();
  expect(written).toMatchObject({ bytes: 10, fault: "the limit of 10 bytes was reached" });
  expect(await readFile(written?.path ?? "", "utf8")).toBe("123456789a");
  expect((await stat(written?.path ?? "")).mode & 0o777).toBe(0o600);
});

test("long output is shown with its head and tail, the whole of it is in a file of the session", async () => {
  await using bench = await bashBench();
  const outcome = await bench.run({ command: "seq 1 30000; exit 2" });
  const whole = Array.from({ length: 30_000 }, (_, index) => `${index + 1}\n`).join("");
  expect(outcome).toMatchObject({ status: "failed", exitCode: 2, truncated: true });
  expect(outcome.text).toMatch(/^1\n2\n3\n/);
  expect(outcome.text).toMatch(/\n29999\n30000\n\[exit code 2\]$/);
  expect(Buffer.byteLength(outcome.text)).toBeLessThan(SHOWN_BYTES + 1000);
  const [, leftOut, path = ""] =
    /\[(\d+) bytes left out here; the whole output of \d+ bytes: (\S+);/.exec(outcome.text) ?? [];
  expect(await readFile(path, "utf8")).toBe(whole);
  const gap = /\n\[\d+ bytes left out[^\n]*\n/.exec(outcome.text)?.[0].length ?? 0;
  const shown = outcome.text.length - gap - "\n[exit code 2]".length + "\n\n".length;
  expect(Number(leftOut)).toBe(whole.length - shown);
  expect(await readdir(bench.outputs)).toHaveLength(1);
});

test("short output leaves no file", async () => {
  await using bench = await bashBench();
  const outcome = await bench.run({ command: "head -c 51200 /dev/zero | tr '\\0' x" });
  expect(outcome.text).toBe("x".repeat(51_200));
  expect(outcome.truncated).toBe(false);
  expect(await readdir(bench.outputs)).toEqual([]);
});

test("an output folder that cannot be used is said, and the command's result stands", async () => {
  await using bench = await bashBench({
    outputFolder: () => Promise.reject(Object.assign(new Error("full"), { code: "ENOSPC" })),
  });
  const outcome = await bench.run({ command: "seq 1 30000" });
  expect(outcome).toMatchObject({ status: "completed", truncated: true });
  expect(outcome.text).toContain("could not be kept (the disk is full)");
});

test("endless output stays within bounds in memory and on the disk, and other work goes on", async () => {
  await using bench = await bashBench();
  let streamed = 0;
  let ticks = 0;
  const timer = setInterval(() => (ticks += 1), 10);
  const before = process.memoryUsage().rss;
  let highest = before;
  const watch = setInterval(() => {
    highest = Math.max(highest, process.memoryUsage().rss);
  }, 20);
  const outcome = await bench.run(
    { command: "yes 'a line that goes on and on'", timeout_ms: 4000 },
    { onOutput: (text) => (streamed += text.length) },
  );
  clearInterval(timer);
  clearInterval(watch);
  expect(outcome.text).toContain("timed out");
  expect(Buffer.byteLength(outcome.text)).toBeLessThan(SHOWN_BYTES + 1000);
  expect(streamed).toBeLessThan(300 * 1024);
  expect(ticks).toBeGreaterThan(20);
  // What came was hundreds of megabytes.
  expect(highest - before).toBeLessThan(150 * MIB);
});

test("characters that are split between pieces are whole; other bytes are marked and counted", async () => {
  await using bench = await bashBench();
  const split =
    "printf 'gr\\303'; sleep 0.1; printf '\\274n \\360\\237'; sleep 0.1; printf '\\230\\200'";
  expect((await bench.run({ command: split })).text).toBe("grün 😀");
  const binary = await bench.run({ command: "printf 'a\\000\\001\\377\\376b\\n'" });
  expect(binary.text).toBe("a\ufffdb\n\n[4 characters that are no text are shown as \ufffd]");
});

test("colours, titles and overwritten lines are left out", async () => {
  await using bench = await bashBench();
  const command = String.raw`printf '\033[31mred\033[0m \033]0;title\007x\n'; printf ' 10%%\r 50%%\r100%%\r\n'; printf 'crlf\r\nend'`;
  expect((await bench.run({ command })).text).toBe("red x\n100%\ncrlf\nend");
});

test("secrets are hidden in what is shown, streamed and kept, also when they come in pieces", async () => {
  await using bench = await bashBench({ redact: createRedactor(["correct-horse-battery"]) });
  let streamed = "";
  const outcome = await bench.run(
    {
      command:
        "printf 'a correct-ho'; sleep 0.1; printf 'rse-battery b\\n'; seq 1 20000; echo ghp_0123456789abcdefghij0123456789abcdef",
    },
    { onOutput: (text) => (streamed += text) },
  );
  const [name = ""] = await readdir(bench.outputs);
  const kept = await readFile(`${bench.outputs}/${name}`, "utf8");
  for (const text of [outcome.text, streamed, kept]) {
    expect(text).toMatch(/^a \[hidden\] b\n1\n/);
    expect(text.trimEnd()).toMatch(/\n20000\n\[hidden\]$/);
    expect(text).not.toMatch(/correct|ghp_/);
  }
});
