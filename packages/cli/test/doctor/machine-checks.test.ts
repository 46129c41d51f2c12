import { tempFolder } from "@acumen/testkit";
import { expect, test } from "vitest";
import {
  checkGit,
  checkMcpPeer,
  checkNode,
  checkWritable,
} from "../../src/doctor/machine-checks.ts";

const SIGNAL = new AbortController().signal;

test.each([
  ["20.19.0", "ok"],
  ["20.20.2", "ok"],
  ["24.0.0", "ok"],
  ["20.18.9", "wrong"],
  ["18.20.0", "wrong"],
])("Node %s is %s", (version, status) => {
  expect(checkNode(version)).toMatchObject({ status });
});

test("git is looked up in the given PATH", async () => {
  expect(await checkGit(process.env["PATH"], SIGNAL)).toMatchObject({ status: "ok" });
  expect(await checkGit("/nowhere", SIGNAL)).toMatchObject({
    status: "wrong",
    remedy: expect.stringContaining("git-scm.com") as string,
  });
});

test("a folder counts when it can be written or made", async () => {
  await using folder = await tempFolder();
  expect(await checkWritable("home", folder.path)).toMatchObject({ status: "ok" });
  const missing = await checkWritable("home", folder.join("a", "b"));
  expect(missing).toMatchObject({ status: "ok" });
  expect(missing.message).toContain("will be made");
  expect(await checkWritable("home", "/dev/null/home")).toMatchObject({
    status: "wrong",
    message: "/dev/null is no folder",
  });
});

test("the SDK that ace-mcp needs is looked up from the engine", () => {
  expect(checkMcpPeer()).toMatchObject({ status: "ok" });
  const asked: string[] = [];
  const missing = checkMcpPeer((name, from) => {
    asked.push(name, from);
    return false;
  });
  expect(asked).toEqual(["@modelcontextprotocol/server", "@acumen/ace"]);
  expect(missing).toMatchObject({
    status: "wrong",
    remedy: "Run: npm install @modelcontextprotocol/server@^2.4.0",
  });
});
