import { withFileLock } from "@acumen/core";
import { tempFolder } from "@acumen/testkit";
import { describe, expect, it } from "vitest";

describe("withFileLock", () => {
  it("lets one holder in at a time, and works for a file that does not exist yet", async () => {
    await using folder = await tempFolder();
    let inside = 0;
    let most = 0;
    const work = async (): Promise<void> => {
      inside += 1;
      most = Math.max(most, inside);
      await new Promise((resolve) => setTimeout(resolve, 5));
      inside -= 1;
    };
    await Promise.all([1, 2, 3].map(() => withFileLock(folder.join("a"), work)));
    expect(most).toBe(1);
  });

  it("gives up with CORE_LOCK_TIMEOUT and frees the lock after a throw", async () => {
    await using folder = await tempFolder();
    const path = folder.join("a");
    await withFileLock(path, async () => {
      await expect(withFileLock(path, async () => undefined, { waitMs: 50 })).rejects.toMatchObject(
        {
          code: "CORE_LOCK_TIMEOUT",
          retryable: true,
        },
      );
    });
    await expect(withFileLock(path, () => Promise.reject(new Error("own")))).rejects.toThrow("own");
    await expect(withFileLock(path, async () => 1)).resolves.toBe(1);
  });

  it("says at once that a lock cannot be made where there is no folder", async () => {
    await using folder = await tempFolder();
    await expect(
      withFileLock(folder.join("missing", "a"), async () => undefined),
    ).rejects.toMatchObject({ code: "CORE_FILE_NOT_WRITABLE", details: { errno: "ENOENT" } });
  });
});
