import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { sourceCommand, startProcess, tempFolder } from "@acumen/testkit";
import { expect, it } from "vitest";

const BIN = new URL("../src/bin.ts", import.meta.url);
/** Linux alone has a file that is always full; elsewhere a test would need a disk of its own. */
const FULL = "/dev/full";

it.skipIf(!existsSync(FULL)).each([
  ["one", ["--help"]],
  ["many", ["run", "--json", "go"]],
])(
  "output that cannot be written in %s writes is a failure, said once (where there is a /dev/full)",
  async (_case, words) => {
    await using folder = await tempFolder();
    await writeFile(folder.join("script.json"), '{"steps":[{"text":"One."}]}');
    const { command, args } = sourceCommand(BIN, words);
    const line = [command, ...args].map((word) => `'${word}'`).join(" ");
    await using child = startProcess(
      { command: "sh", args: ["-c", `${line} > ${FULL} < /dev/null`] },
      {
        cwd: folder.path,
        env: {
          ACUMEN_HOME: folder.join("home"),
          ACUMEN_MODEL: `scripted/${folder.join("script.json")}`,
        },
      },
    );
    expect((await child.exited).code).toBe(1);
    const said = child.stderr().match(/^acumen: the output could not be written \(ENOSPC\).*$/gm);
    expect(said).toHaveLength(1);
  },
);
