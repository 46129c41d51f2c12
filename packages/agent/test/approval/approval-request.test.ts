import { expect, test } from "vitest";
import type { ApprovalRequest, GatedCall } from "../../src/index.ts";
import { bashCall, callOf, CWD, gateWith, mcpCall, ScriptedGateway } from "./support.ts";

async function shown(call: GatedCall): Promise<ApprovalRequest> {
  const gateway = new ScriptedGateway("reject_once");
  await gateWith({ gateway }).decide(call, "manual");
  const [request] = gateway.requests;
  if (request === undefined) throw new Error("nothing was asked");
  return request;
}

test("a command is shown whole, with its folder and with nothing hidden in it", async () => {
  const command = `${"x".repeat(10_000)}\n\tls \u202e\u200b\u001b[2K\rrm`;
  expect(await shown(bashCall(command, "/home/you/a\u202eb"))).toMatchObject({
    sessionId: "s",
    turnId: "t",
    callId: "c",
    tool: "bash",
    risk: "execute",
    kind: "execute",
    command: `${"x".repeat(10_000)}\n\tls \\u{202e}\\u{200b}\\u{1b}[2K\\u{d}rm`,
    cwd: "/home/you/a\\u{202e}b",
    paths: [],
    reason: "The mode manual asks for every call.",
  });
});

test("a change of files is shown whole, with resolved paths", async () => {
  const path = `${CWD}/a\u200b.ts`;
  const request = await shown(
    callOf({
      tool: "edit",
      kind: "edit",
      preview: {
        title: "Edit\na.ts",
        risk: "write",
        subject: { type: "files", access: "write", paths: [path] },
        diff: [{ path, old_text: null, new_text: `if (admin) {\u2066\n\t${"y".repeat(50_000)}` }],
      },
    }),
  );
  expect(request).toMatchObject({
    title: "Edit\\u{a}a.ts",
    paths: [`${CWD}/a\\u{200b}.ts`],
    diff: [
      {
        path: `${CWD}/a\\u{200b}.ts`,
        old_text: null,
        new_text: `if (admin) {\\u{2066}\n\t${"y".repeat(50_000)}`,
      },
    ],
  });
  expect(request.command).toBeUndefined();
});

test("the input is shown as JSON, the names of servers and tools with nothing hidden", async () => {
  const call = { ...mcpCall("sea\u200drch", { server: "git\u202ehub" }), input: { a: "\u202e" } };
  const request = await shown(call);
  expect(request.tool).toBe("sea\\u{200d}rch");
  expect(request.origin).toMatchObject({ type: "mcp", server: "git\\u{202e}hub" });
  expect(request.input).toBe('{\n  "a": "\\u{202e}"\n}');
  expect(request.alwaysCovers).not.toContain("\u202e");
});

test("a start in the background is told from a command that is waited for", async () => {
  const waited = bashCall("npm start");
  const { subject } = waited.preview;
  if (subject.type !== "command") throw new Error("no command");
  const call: GatedCall = {
    ...waited,
    preview: { ...waited.preview, subject: { ...subject, background: true } },
  };
  const request = await shown(call);
  expect(request).toMatchObject({ command: "npm start", background: true });
  expect(request.alwaysCovers).toBe(
    `exactly the command npm start in ${CWD}, started in the background`,
  );
  expect((await shown(waited)).background).toBeUndefined();
});
