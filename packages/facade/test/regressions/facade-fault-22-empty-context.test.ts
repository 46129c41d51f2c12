import { mkdir, writeFile } from "node:fs/promises";
import { tempFolder } from "@acumen/testkit";
import { expect, test } from "vitest";
import { AcpLocalFacade } from "../../src/dispatch/acp-local-facade.ts";
import type { JsonObject } from "../../src/envelope/json-value.ts";

async function contextOf(files: Readonly<Record<string, string>>, params: JsonObject = {}) {
  await using folder = await tempFolder("acumen-context");
  await mkdir(folder.join("shop"));
  for (const [path, text] of Object.entries(files))
    await writeFile(folder.join("shop", path), text);
  const facade = new AcpLocalFacade({ projects: [folder.join("shop")], home: folder.join("home") });
  const { status, data } = await facade.dispatch({ operation: "context.get", params });
  expect(status).toBe("ok");
  return data as {
    readonly context: {
      readonly fragments: readonly { readonly uri: string; readonly content: string }[];
      readonly warnings: readonly string[];
    };
    readonly message: string;
    readonly stub?: unknown;
  };
}

test("a context holds the project's text, and never says that it is a stub", async () => {
  const data = await contextOf({ "a.txt": "what is in it" });
  expect(data).not.toHaveProperty("stub");
  expect(data.context.fragments).toContainEqual(
    expect.objectContaining({ uri: "file:a.txt", content: "what is in it" }),
  );
  expect(data.message).toMatch(/^\d+ fragments?, \d+ of 12000 tokens/);
  expect(data.context.warnings).toEqual([]);
});

test("no text of a project that has files is a problem that is said", async () => {
  const secret = await contextOf({ ".env": "KEY=1", id_rsa: "key" });
  expect(secret.context.warnings).toEqual([
    expect.stringMatching(/^EMPTY_FILE_CONTEXT: .* 2 files/),
  ]);
  expect(secret.message).toContain("EMPTY_FILE_CONTEXT");
  const chosen = await contextOf({ "a.txt": "a" }, { include: ["*.none"] });
  expect(chosen.context.warnings).toEqual([expect.stringMatching(/^EMPTY_FILE_CONTEXT/)]);
});

test("an empty project is none, and files that nobody asked for are none", async () => {
  expect((await contextOf({})).context.warnings).toEqual([]);
  const plan = await contextOf({ ".env": "KEY=1" }, { sources: ["plan"] });
  expect(plan.context.warnings).toEqual([]);
});
