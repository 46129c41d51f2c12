import { AcumenError, writeFileAtomic } from "@acumen/core";
import { tempFolder } from "@acumen/testkit";
import { mkdir, readFile, rename, symlink, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname } from "node:path";
import { describe, expect, it } from "vitest";
import { isInside, PathPolicy } from "../../../src/integrations/mcp/paths.ts";

async function detailsOf(work: Promise<unknown>): Promise<Record<string, unknown>> {
  const error: unknown = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (AcumenError.isInstance(error) && error.code === "ACE_MCP_VALIDATION_ERROR")
    return { ...error.details };
  throw new Error("it should have failed with a validation error", { cause: error });
}

describe("PathPolicy with a root", () => {
  it("takes relative paths from the root, not from the process folder", async () => {
    await using root = await tempFolder();
    const policy = new PathPolicy(root.path);
    expect((await policy.forSave("sub/a.json")).path).toBe(root.join("sub", "a.json"));
    await writeFile(root.join("b.txt"), "");
    expect((await policy.forLoad("b.txt")).path).toBe(root.join("b.txt"));
  });

  it("5.5 #28: refuses paths outside, however they are written", async () => {
    await using folder = await tempFolder();
    await mkdir(folder.join("root"));
    await mkdir(folder.join("root-evil"));
    const policy = new PathPolicy(folder.join("root"));
    for (const raw of [
      "../x.json",
      "sub/../../x.json",
      folder.join("x.json"),
      folder.join("root-evil", "x.json"),
      folder.join("root"),
      "~/x.json",
      "/etc/x.json",
    ]) {
      for (const work of [() => policy.forSave(raw), () => policy.forLoad(raw)]) {
        const details = await detailsOf(work());
        expect(details).toMatchObject({ skillbook_root: folder.join("root") });
        expect(typeof details["path"]).toBe("string");
      }
    }
  });

  it("resolves links among the folders before the check", async () => {
    await using folder = await tempFolder();
    await mkdir(folder.join("root", "real"), { recursive: true });
    await mkdir(folder.join("outside"));
    await writeFile(folder.join("outside", "a.json"), "{}");
    await symlink(folder.join("outside"), folder.join("root", "out"));
    await symlink(folder.join("root", "real"), folder.join("root", "in"));
    const policy = new PathPolicy(folder.join("root"));
    expect(await detailsOf(policy.forSave("out/a.json"))).toHaveProperty("skillbook_root");
    expect(await detailsOf(policy.forLoad("out/a.json"))).toHaveProperty("skillbook_root");
    expect((await policy.forSave("in/a.json")).path).toBe(folder.join("root", "real", "a.json"));
  });

  it("refuses a link as the last part on save and resolves it on load", async () => {
    await using folder = await tempFolder();
    await mkdir(folder.join("root"));
    await writeFile(folder.join("root", "real.json"), "{}");
    await writeFile(folder.join("outside.json"), "{}");
    await symlink(folder.join("root", "real.json"), folder.join("root", "in.json"));
    await symlink(folder.join("outside.json"), folder.join("root", "out.json"));
    await symlink(folder.join("gone.json"), folder.join("root", "dangling.json"));
    const policy = new PathPolicy(folder.join("root"));
    for (const name of ["in.json", "out.json", "dangling.json"])
      expect(await detailsOf(policy.forSave(name))).toMatchObject({ reason: "is_a_link" });
    expect((await policy.forLoad("in.json")).path).toBe(folder.join("root", "real.json"));
    expect(await detailsOf(policy.forLoad("out.json"))).toHaveProperty("skillbook_root");
    expect(await detailsOf(policy.forLoad("dangling.json"))).toMatchObject({ reason: "not_found" });
  });

  it("names the path that was asked for, never where a link leads", async () => {
    await using folder = await tempFolder();
    await mkdir(folder.join("root"));
    await mkdir(folder.join("elsewhere"));
    await writeFile(folder.join("elsewhere", "secret.json"), "{}");
    await symlink(folder.join("elsewhere"), folder.join("root", "d"));
    await symlink(folder.join("elsewhere", "secret.json"), folder.join("root", "f.json"));
    const policy = new PathPolicy(folder.join("root"));
    for (const work of [
      () => policy.forLoad("d/secret.json"),
      () => policy.forLoad("f.json"),
      () => policy.forSave("d/secret.json"),
    ]) {
      const error: unknown = await work().catch((cause: unknown) => cause);
      expect(JSON.stringify(error)).toContain("is outside of");
      expect(JSON.stringify(error)).not.toContain("elsewhere");
    }
    const itself: unknown = await policy.forLoad(".").catch((cause: unknown) => cause);
    expect(JSON.stringify(itself)).toContain("is the folder itself");
  });

  it("never makes folders through a dangling link", async () => {
    await using folder = await tempFolder();
    await mkdir(folder.join("root"));
    await symlink(folder.join("elsewhere"), folder.join("root", "link"));
    const policy = new PathPolicy(folder.join("root"));
    expect(await detailsOf(policy.forSave("link/a.json"))).toMatchObject({ reason: "unreadable" });
  });

  it("accepts a root that is given through a link or does not exist yet", async () => {
    await using folder = await tempFolder();
    await mkdir(folder.join("real"));
    await symlink(folder.join("real"), folder.join("link"));
    const linked = new PathPolicy(folder.join("link"));
    expect((await linked.forSave(folder.join("link", "a.json"))).path).toBe(
      folder.join("real", "a.json"),
    );
    const missing = new PathPolicy(folder.join("later"));
    const target = await missing.forSave("sub/a.json");
    await target.makeFolder();
    await writeFileAtomic(target.path, "x", { check: target.check });
    expect(await readFile(folder.join("later", "sub", "a.json"), "utf8")).toBe("x");
  });

  it("keeps the folder of autosaved sessions to the server", async () => {
    await using root = await tempFolder();
    const policy = new PathPolicy(root.path);
    await mkdir(root.join(".ace-sessions"));
    await writeFile(root.join(".ace-sessions", "a.json"), "{}");
    await symlink(root.join(".ace-sessions"), root.join("alias"));
    for (const raw of [".ace-sessions/a.json", "alias/a.json"]) {
      expect(await detailsOf(policy.forSave(raw))).toMatchObject({ reason: "reserved" });
      expect(await detailsOf(policy.forLoad(raw))).toMatchObject({ reason: "reserved" });
    }
    expect(await detailsOf(policy.forSave(".ace-sessions"))).toMatchObject({ reason: "reserved" });
    expect((await policy.forSave("x.ace-sessions/a.json")).path).toContain("x.ace-sessions");
  });

  it("weak point 10: a link planted after the check does not lead out of the root", async () => {
    await using folder = await tempFolder();
    await mkdir(folder.join("root", "sub"), { recursive: true });
    await mkdir(folder.join("outside"));
    await writeFile(folder.join("outside", "a.json"), "secret");
    await writeFile(folder.join("root", "sub", "a.json"), "{}");
    const policy = new PathPolicy(folder.join("root"));
    const target = await policy.forSave("sub/a.json");
    const source = await policy.forLoad("sub/a.json");
    await rename(folder.join("root", "sub"), folder.join("moved"));
    await symlink(folder.join("outside"), folder.join("root", "sub"));
    await expect(
      writeFileAtomic(target.path, "mine", { check: target.check }),
    ).rejects.toMatchObject({ code: "ACE_MCP_VALIDATION_ERROR" });
    expect(await readFile(folder.join("outside", "a.json"), "utf8")).toBe("secret");
    const { open } = await import("node:fs/promises");
    const handle = await open(source.path);
    await expect(source.check(handle, source.path)).rejects.toMatchObject({
      code: "ACE_MCP_VALIDATION_ERROR",
    });
    await handle.close();
  });

  it("refuses to make folders where a link has been planted meanwhile", async () => {
    await using folder = await tempFolder();
    await mkdir(folder.join("root"));
    await mkdir(folder.join("outside"));
    const target = await new PathPolicy(folder.join("root")).forSave("sub/a.json");
    await symlink(folder.join("outside"), folder.join("root", "sub"));
    expect(await detailsOf(target.makeFolder())).toMatchObject({ reason: "is_a_link" });
  });
});

describe("PathPolicy without a root", () => {
  it("5.5 #30: resolves to a canonical absolute path", async () => {
    await using folder = await tempFolder();
    const policy = new PathPolicy(undefined);
    expect((await policy.forSave(folder.join("sub", "..", "test.json"))).path).toBe(
      folder.join("test.json"),
    );
    expect((await policy.forSave("relative.json")).path).toBe(`${process.cwd()}/relative.json`);
    expect(dirname((await policy.forSave("~/acumen-test.json")).path)).toBe(homedir());
  });

  it("saves under .json names alone, and to regular files", async () => {
    await using folder = await tempFolder();
    const policy = new PathPolicy(undefined);
    for (const name of ["a.txt", "a", ".json", "a.json.txt"])
      expect(await detailsOf(policy.forSave(folder.join(name)))).toMatchObject({
        reason: "bad_extension",
      });
    await mkdir(folder.join("folder.json"));
    expect(await detailsOf(policy.forSave(folder.join("folder.json")))).toMatchObject({
      reason: "not_a_file",
    });
    await writeFile(folder.join("file"), "");
    expect(await detailsOf(policy.forSave(folder.join("file", "a.json")))).toMatchObject({
      reason: "not_a_file",
    });
  });

  it("refuses a NUL character as an issue of the argument", async () => {
    expect(await detailsOf(new PathPolicy(undefined).forLoad("a\0b"))).toEqual({
      issues: [{ path: "path", message: "must not hold a NUL character" }],
    });
  });

  it("says not_found for what is not there", async () => {
    await using folder = await tempFolder();
    const policy = new PathPolicy(undefined);
    expect(await detailsOf(policy.forLoad(folder.join("none.json")))).toEqual({
      path: folder.join("none.json"),
      reason: "not_found",
    });
  });
});

describe("isInside", () => {
  it("compares components", () => {
    expect(isInside("/root/a", "/root")).toBe(true);
    expect(isInside("/root/..a", "/root")).toBe(true);
    expect(isInside("/root", "/root")).toBe(false);
    expect(isInside("/root-evil/a", "/root")).toBe(false);
    expect(isInside("/", "/root")).toBe(false);
  });
});
