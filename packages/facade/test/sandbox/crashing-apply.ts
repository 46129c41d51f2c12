import type { ApplyOptions } from "../../src/sandbox/sandboxes.ts";
import { GitSandboxes } from "../../src/sandbox/git-sandboxes.ts";
import { readFile, writeFile } from "node:fs/promises";

/** One apply in a process of its own, which kills itself at the n-th passing of a point. */
const [file = "", point = "", count = "1"] = process.argv.slice(2);
const { home, options } = JSON.parse(await readFile(file, "utf8")) as {
  readonly home: string;
  readonly options: ApplyOptions;
};
let left = Number(count);
const sandboxes = new GitSandboxes({
  home,
  environment: { PATH: process.env["PATH"] },
  isolation: "none",
  faults: (passed) => {
    if (passed === point) left -= 1;
    if (left === 0) process.kill(process.pid, "SIGKILL");
  },
});
const result = await sandboxes.apply({
  ...options,
  signal: new AbortController().signal,
  moving: (merge) => writeFile(`${file}.moving`, JSON.stringify(merge)),
  validated: () => Promise.resolve(),
});
await writeFile(`${file}.result`, JSON.stringify(result));
