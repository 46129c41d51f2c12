import { tempFolder } from "@acumen/testkit";
import { execFileSync } from "node:child_process";
import { link, mkdir, symlink, writeFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { MatchWorker, type RawFile } from "../../../src/tools/search/match-worker.ts";

function textOf(file: RawFile | undefined): string | null | undefined {
  return file instanceof Uint8Array ? Buffer.from(file).toString("latin1") : file;
}

test("the thread reads ordinary files alone, each where its name says, and hands on what may be of use", async () => {
  await using folder = await tempFolder();
  const real = folder.join("real");
  await mkdir(real);
  const put = async (name: string, content: string | Uint8Array): Promise<string> => {
    await writeFile(folder.join(name), content);
    return folder.join(name);
  };
  const wide = Buffer.from("\uFEFFneedle", "utf16le");
  const files: readonly (readonly [path: string, expected: string | null])[] = [
    [await put("real/plain", "a needle"), "a needle"],
    [await put("other", "a pin"), "without"],
    [await put("NEEDLE", "A NEEDLE"), "A NEEDLE"],
    [await put("wide", wide), wide.toString("latin1")],
    [await put("empty", ""), "without"],
    [await put("fits", "needle".padEnd(200_000)), "needle".padEnd(200_000)],
    [await put("large", "needle".padEnd(200_001)), null],
    [await put("after", "needle after a long one"), "needle after a long one"],
    [folder.join("missing"), null],
    [real, null],
    [folder.join("pipe"), null],
    [folder.join("link"), null],
    [folder.join("planted", "plain"), null],
    [await put("twice", "needle"), null],
  ];
  execFileSync("mkfifo", [folder.join("pipe")]);
  await symlink(folder.join("NEEDLE"), folder.join("link"));
  await symlink(real, folder.join("planted"));
  await link(folder.join("twice"), folder.join("thrice"));
  const worker = new MatchWorker([], 30_000, new AbortController().signal);
  try {
    const paths = files.map(([path]) => path);
    const request = { paths, maxBytes: 200_000 };
    const hinted = await worker.read({ ...request, literal: "needle", ignoreCase: true });
    expect(hinted.map(textOf)).toEqual(files.map(([, expected]) => expected));
    const exact = await worker.read({ ...request, literal: "needle", ignoreCase: false });
    expect(exact.map(textOf)[2]).toBe("without");
    const all = await worker.read(request);
    expect(all.map(textOf).slice(0, 5)).toEqual([
      "a needle",
      "a pin",
      "A NEEDLE",
      wide.toString("latin1"),
      "",
    ]);
  } finally {
    await worker.close();
  }
});

test("an aborted search reads nothing", async () => {
  await using folder = await tempFolder();
  await writeFile(folder.join("f"), "text");
  const aborted = new MatchWorker([], 30_000, AbortSignal.abort());
  await expect(aborted.read({ paths: [folder.join("f")], maxBytes: 10 })).rejects.toMatchObject({
    code: "CORE_ABORTED",
  });
  await aborted.close();
});
