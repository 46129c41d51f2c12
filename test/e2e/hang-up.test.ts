import { readFile, writeFile } from "node:fs/promises";
import { sourceCommand, startProcess } from "@acumen/testkit";
import { expect, test } from "vitest";
import { chatPlace, HAS_SCRIPT } from "./support/pseudo-terminal.ts";

const BIN = new URL("../../packages/cli/src/bin.ts", import.meta.url);
const SCRIPT = { steps: [{ text: "words ".repeat(400), delayMs: 50 }] };
/** Notes how a command ended; it is told of the closed terminal too, and waits for its command. */
const WATCH = `trap : HUP
"$@"
echo $? > ended.tmp
mv ended.tmp ended
`;

test.skipIf(!HAS_SCRIPT).each([
  { kind: "run", args: ["run", "go"], sign: "words words" },
  { kind: "chat", args: ["chat"], sign: "safe>" },
])(
  "$kind ends like by SIGHUP when its terminal is closed (needs the program script)",
  async ({ args, sign }) => {
    await using place = await chatPlace(SCRIPT);
    await writeFile(`${place.workspace}/watch.sh`, WATCH);
    const { command, args: words } = sourceCommand(BIN, args);
    const line = ["sh", "watch.sh", command, ...words].map((word) => `'${word}'`).join(" ");
    await using terminal = startProcess(
      { command: "script", args: ["-qefc", `exec ${line}`, "/dev/null"] },
      {
        cwd: place.workspace,
        env: {
          TERM: "xterm-256color",
          SHELL: "/bin/sh",
          ACUMEN_HOME: place.home,
          ACUMEN_MODEL: place.model,
        },
      },
    );
    await until(() => Promise.resolve(terminal.stdout().includes(sign)));
    terminal.child.kill("SIGKILL");
    const ended = (): Promise<string> =>
      readFile(`${place.workspace}/ended`, "utf8").catch(() => "");
    await until(async () => (await ended()) !== "");
    expect(await ended()).toBe("129\n");
  },
);

async function until(condition: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + 40_000;
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error("It did not come.");
    await new Promise((resolve) => {
      setTimeout(resolve, 20);
    });
  }
}
