import { tempFolder } from "@acumen/testkit";
import { readdir, readFile, stat } from "node:fs/promises";
import { expect, test } from "vitest";
import { createRedactor } from "../../../src/redaction/redactor.ts";
import { CommandOutput, SHOWN_BYTES } from "../../../src/tools/bash/command-output.ts";
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

/** The output of one command in pieces, of which a file takes one MiB; `read` counts the characters that were looked through. */
async function streamed(chunks: readonly Buffer[]): Promise<{ text: string; read: number }> {
  await using folder = await tempFolder();
  const redact = createRedactor(["correct-horse-battery"]);
  let read = 0;
  const stream: typeof redact.stream = () => {
    const inner = redact.stream();
    return { end: () => inner.end(), push: (text) => ((read += text.length), inner.push(text)) };
  };
  const output = new CommandOutput({
    redact: Object.assign((text: string) => redact(text), { stream, hide: redact.hide }),
    folder: () => Promise.resolve(folder.path),
    name: "1-bash",
    fileBytes: MIB,
  });
  for (const chunk of chunks) await output.push(chunk);
  const { text } = await output.end();
  return { text, read };
}

function inPieces(whole: Buffer, size: number): Buffer[] {
  return Array.from({ length: Math.ceil(whole.length / size) }, (_, index) =>
    whole.subarray(index * size, (index + 1) * size),
  );
}

test("behind what is kept, output is only counted, and its end is shown without secrets", async () => {
  const lines = Array.from({ length: 1_000_000 }, (_, index) => `zeile ü ${index}\n`).join("");
  const whole = Buffer.from(`${lines}correct-horse-battery\nthe end\n`);
  const { text, read } = await streamed(inPieces(whole, 65_537));
  expect(read).toBeLessThan(2 * MIB);
  expect(text).toMatch(/^zeile ü 0\nzeile ü 1\n/);
  expect(text).toMatch(/\nzeile ü 999998\nzeile ü 999999\n\[hidden\]\nthe end\n$/);
  expect(text).not.toContain("\ufffd");
  const [, leftOut, kept, total] =
    /\[(\d+) bytes left out here; its first (\d+) bytes of (\d+) bytes/.exec(text) ?? [];
  const hidden = "correct-horse-battery".length - "[hidden]".length;
  expect(Number(kept)).toBe(MIB);
  expect(Number(total)).toBe(whole.length - hidden);
  const gap = /\[\d+ bytes left out[^\n]*\n/.exec(text)?.[0] ?? "";
  expect(Number(leftOut)).toBe(whole.length - hidden - Buffer.byteLength(text.replace(gap, "")));
});

test("a key that began where nothing was looked through any more is not shown, what follows is", async () => {
  const fill = "-\n".repeat((MIB + 65_536) / 2);
  const key = `-----BEGIN RSA PRIVATE KEY-----\n${"MIIEpAIBAAKCAQEA7\n".repeat(2_000)}`;
  // A progress bar, of which next to nothing is left to show, so that the key is near the end.
  const rest = `-----END RSA PRIVATE KEY-----\n${"\r 50 %".repeat(40_000)}\nthe end\n`;
  const { text } = await streamed(inPieces(Buffer.from(`${fill}${key}${rest}`), 65_536));
  expect(rest.length).toBeLessThan(256 * 1024 - 10_000);
  expect(text).not.toContain("MIIE");
  expect(text).toMatch(/\nthe end\n$/);
});

test("a little more than is kept is shown as if it were kept", async () => {
  const whole = Buffer.from("0123456789\n".repeat((MIB + 100_000) / 11));
  const { text } = await streamed(inPieces(whole, 65_536));
  expect(text).toMatch(/0123456789\n$/);
  expect(text).toContain(` of ${whole.length} bytes`);
});
