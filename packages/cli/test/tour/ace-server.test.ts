import { setTimeout as sleep } from "node:timers/promises";
import { tempFolder } from "@acumen/testkit";
import { describe, expect, test } from "vitest";
import { cliError } from "../../src/errors.ts";
import { AceServer } from "../../src/tour/ace-server.ts";
import type { ServerCommand } from "../../src/tour/server-command.ts";

function script(code: string): ServerCommand {
  return { command: process.execPath, args: ["-e", code] };
}

describe("starting the server", () => {
  test("that ends at once fails with the end of its log", async () => {
    await using folder = await tempFolder();
    const command = script("console.error('first\\nno such model'); process.exit(3)");
    await expect(AceServer.start({ command, root: folder.path })).rejects.toMatchObject({
      code: "CLI_SERVER_FAILED",
      message: expect.stringContaining("Its log ends with: no such model") as string,
    });
  });

  test("that does not exist fails by name", async () => {
    await using folder = await tempFolder();
    const command = { command: "/no/such/program", args: [] };
    await expect(AceServer.start({ command, root: folder.path })).rejects.toMatchObject({
      code: "CLI_SERVER_FAILED",
      message: expect.stringContaining("ENOENT") as string,
    });
  });

  test("ends the process when the caller aborts meanwhile", async () => {
    await using folder = await tempFolder();
    const controller = new AbortController();
    const reason = cliError("CLI_INTERRUPTED", "Ended.");
    const starting = AceServer.start({
      command: script("process.stdin.resume().on('end', () => process.exit())"),
      root: folder.path,
      signal: controller.signal,
    });
    await sleep(20);
    controller.abort(reason);
    await expect(starting).rejects.toBe(reason);
  });

  test("is not tried when the caller has aborted before", async () => {
    const reason = cliError("CLI_INTERRUPTED", "Ended.");
    const command = { command: "/no/such/program", args: [] };
    const signal = AbortSignal.abort(reason);
    await expect(AceServer.start({ command, root: "/", signal })).rejects.toBe(reason);
  });
});
