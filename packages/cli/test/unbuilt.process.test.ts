import { copyFile, mkdir, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { startProcess, tempFolder } from "@acumen/testkit";
import { expect, test } from "vitest";

const BIN = fileURLToPath(new URL("../bin/acumen.js", import.meta.url));

test("a checkout that was not built says so in one line, and runs once it is", async () => {
  await using folder = await tempFolder("acumen-unbuilt");
  await mkdir(folder.join("bin"));
  await writeFile(folder.join("package.json"), '{"type":"module"}');
  await copyFile(BIN, folder.join("bin/acumen.js"));
  const run = async () => {
    const child = startProcess({ command: process.execPath, args: [folder.join("bin/acumen.js")] });
    const { code } = await child.exited;
    return { code, stdout: child.stdout(), stderr: child.stderr() };
  };
  expect(await run()).toEqual({
    code: 2,
    stdout: "",
    stderr: "acumen: dist is missing; run `npm run build` in the checkout first.\n",
  });
  await mkdir(folder.join("dist"));
  await writeFile(folder.join("dist/bin.js"), 'console.log("ran");\n');
  expect(await run()).toEqual({ code: 0, stdout: "ran\n", stderr: "" });
});
