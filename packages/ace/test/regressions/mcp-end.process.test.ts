import { tempFolder } from "@acumen/testkit";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { sourceCommand, startProcess } from "@acumen/testkit";
import { startRawServer } from "../integrations/mcp/support/raw-server.ts";
import { BIN } from "../integrations/mcp/support/server-process.ts";

// Several processes start here, each from sources; a busy machine takes its time over them.
vi.setConfig({ testTimeout: 60_000 });

const LEARN = {
  session_id: "s",
  samples: [{ question: "What is the capital of France?", ground_truth: "Paris" }],
};

describe("the end of the process (typescript-sdk#2002 and #1564, email-mcp#60, mcp-searxng#60)", () => {
  it("comes with the end of stdin, with live sessions, exit 0 and no word on stderr", async () => {
    await using server = startRawServer();
    await server.initialize();
    server.call(1, "ace.learn.sample", LEARN);
    await server.response(1);
    server.child.stdin.end();
    expect(await server.exited).toEqual({ code: 0, signal: null });
    expect(server.stderr()).toBe("");
  });

  it.each(["SIGTERM", "SIGHUP"] as const)(
    "comes with %s although stdin stays open, in the middle of a call, saving what was learned",
    async (signal) => {
      await using root = await tempFolder();
      const env = { ACE_MCP_AUTOSAVE: "true", ACE_MCP_SKILLBOOK_ROOT: root.path };
      await using server = startRawServer(env);
      await server.initialize();
      server.call(1, "ace.learn.sample", LEARN);
      await server.response(1);
      server.call(2, "ace.learn.sample", { ...LEARN, epochs: 20 });
      server.kill(signal);
      expect(await server.exited).toEqual({ code: 0, signal: null });
    },
  );

  it("is quiet when the client vanishes in the middle of a call and nobody reads any more", async () => {
    await using server = startRawServer();
    await server.initialize();
    server.call(1, "ace.learn.sample", { ...LEARN, epochs: 20 });
    server.child.stdout.destroy();
    server.call(2, "ace.ask", { session_id: "s", question: "q" });
    server.child.stderr.destroy();
    server.child.stdin.end();
    await new Promise((resolve) => server.child.once("exit", resolve));
    expect(server.child.exitCode).toBe(0);
  });

  it("stdout holds no byte before the first request, even with a .env in the folder (postman-mcp-server#154)", async () => {
    await using folder = await tempFolder();
    await writeFile(join(folder.path, ".env"), "ACE_MCP_SAFE_MODE=maybe\nOPENAI_API_KEY=x\n");
    await using server = startProcess(sourceCommand(BIN), {
      cwd: folder.path,
      env: { ACE_MCP_DEFAULT_MODEL: "builtin/recall" },
    });
    server.child.stdin.end();
    expect(await server.exited).toEqual({ code: 0, signal: null });
    expect(server.stdout()).toBe("");
  });
});
