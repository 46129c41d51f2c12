import { startProcess, tempFolder } from "@acumen/testkit";
import { writeFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { codedError } from "../src/coded-error.ts";

test("a folder that is gone is no fault of the program", async () => {
  await using folder = await tempFolder();
  const script = folder.join("script.cjs");
  await writeFile(
    script,
    "try { process.cwd() } catch (error) { console.log(JSON.stringify({ ...error, message: error.message })) }",
  );
  const line = 'mkdir gone && cd gone && rmdir ../gone && exec "$0" "$1"';
  await using child = startProcess(
    { command: "sh", args: ["-c", line, process.execPath, script] },
    { cwd: folder.path },
  );
  await child.exited;
  const { message, ...fields } = JSON.parse(child.stdout()) as { message: string };
  const error = codedError(Object.assign(new Error(message), fields), new AbortController().signal);
  expect(error).toMatchObject({
    code: "CLI_USAGE",
    message: expect.stringContaining("does not exist any more"),
  });
});
