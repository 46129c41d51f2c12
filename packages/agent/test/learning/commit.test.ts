import { type TempFolder, tempFolder } from "@acumen/testkit";
import { mkdir, readdir, readFile } from "node:fs/promises";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { giveFeedback } from "../../src/learning/give-feedback.ts";
import { commitLocked } from "../../src/learning/commit.ts";
import { feedbackOptions, saveBook, teacher, turn } from "./support.ts";

let folder: TempFolder;
beforeEach(async () => {
  folder = await tempFolder();
});
afterEach(() => folder.remove());

const home = (): string => folder.path;
const bookFile = (): string => folder.join("skillbook.json");

describe("an abort", () => {
  test("while the model works stores and records nothing, and ends at once", async () => {
    await saveBook(bookFile(), ["Run the tests."]);
    const before = await readFile(bookFile());
    const controller = new AbortController();
    const recorded: unknown[] = [];
    let abortedAt = 0;
    const model = teacher(["Run the tests before the change."], { delayMs: 10 });
    const running = giveFeedback({
      ...feedbackOptions({ home: home(), model, events: turn("testing-00001") }),
      signal: controller.signal,
      onProgress: (phase) => {
        if (phase === "curating") {
          setTimeout(() => {
            abortedAt = performance.now();
            controller.abort();
          }, 30);
        }
      },
      record: (draft) => Promise.resolve(recorded.push(draft)),
    });
    await expect(running).rejects.toMatchObject({ code: "CORE_ABORTED" });
    // The contract says one second; a busy machine may be slower.
    expect(performance.now() - abortedAt).toBeLessThan(3_000);
    expect(recorded).toEqual([]);
    expect(await readdir(home())).toEqual(["skillbook.json"]);
    expect(await readFile(bookFile())).toEqual(before);
  });

  test("while another process holds the lock writes nothing, later neither", async () => {
    const path = folder.join("file.json");
    await mkdir(`${path}.lock`);
    const controller = new AbortController();
    const written: string[] = [];
    const prepare = () => Promise.resolve({ write: () => Promise.resolve(written.push("file")) });
    const running = commitLocked([path], prepare, controller.signal);
    controller.abort();
    await expect(running).rejects.toMatchObject({ code: "CORE_ABORTED" });
    const { rmdir } = await import("node:fs/promises");
    await rmdir(`${path}.lock`);
    // Served after the call that was aborted, if that one still waits.
    await commitLocked([path], () => Promise.resolve({ write: () => Promise.resolve() }));
    expect(written).toEqual([]);
  });

  test("that comes while files are written is too late", async () => {
    const controller = new AbortController();
    const written: string[] = [];
    const write = async (): Promise<string> => {
      written.push("first");
      controller.abort();
      await Promise.resolve();
      written.push("second");
      return "done";
    };
    const running = commitLocked(
      [folder.join("file.json")],
      () => Promise.resolve({ write }),
      controller.signal,
    );
    expect(await running).toBe("done");
    expect(written).toEqual(["first", "second"]);
  });
});
