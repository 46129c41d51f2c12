import { sourceCommand, startProcess, tempFolder } from "@acumen/testkit";
import { writeFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";

describe("createStderrLogger", () => {
  it("writes JSON lines at or above its level to stderr and nothing to stdout", async () => {
    await using folder = await tempFolder();
    const entry = folder.join("log.mjs");
    const core = new URL("../src/index.ts", import.meta.url).href;
    await writeFile(
      entry,
      `import { createStderrLogger } from ${JSON.stringify(core)};
       const log = createStderrLogger({ name: "t", level: "info" });
       log.debug("hidden"); log.info("shown", { size: 3 }); log.error("bad");`,
    );
    await using child = startProcess(sourceCommand(entry));
    expect(await child.exited).toEqual({ code: 0, signal: null });
    expect(child.stdout()).toBe("");
    const lines = child
      .stderr()
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(lines).toMatchObject([
      { name: "t", size: 3, msg: "shown" },
      { level: "error", msg: "bad" },
    ]);
  });

  it("writes pretty lines for people: one each, without colour or control characters", async () => {
    await using folder = await tempFolder();
    const entry = folder.join("log.mjs");
    const core = new URL("../src/index.ts", import.meta.url).href;
    await writeFile(
      entry,
      `import { createStderrLogger } from ${JSON.stringify(core)};
       const log = createStderrLogger({ name: "t", level: "info", format: "pretty" });
       log.debug("hidden");
       log.info("shown\\nhere", { size: 3, id: "a-1", text: "two \\u001b[31mwords\\u009b", list: [1], none: undefined });
       log.error("bad");`,
    );
    await using child = startProcess(sourceCommand(entry));
    expect(await child.exited).toEqual({ code: 0, signal: null });
    expect(child.stdout()).toBe("");
    const lines = child.stderr().trimEnd().split("\n");
    expect(lines.map((line) => line.replace(/^\d\d:\d\d:\d\d\.\d{3} /, ""))).toEqual([
      'INFO  t: shown\ufffdhere size=3 id=a-1 text="two \\u001b[31mwords\ufffd" list=[1] none=undefined',
      "ERROR t: bad",
    ]);
  });
});
