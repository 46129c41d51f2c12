import fc from "fast-check";
import { expect, test } from "vitest";
import { mcpNamespace, toolPart } from "../../src/registries/tool-name.ts";

const GRAMMAR = /^[a-z0-9][a-z0-9._-]{0,62}\/[a-z0-9][a-z0-9._/-]{0,126}$/;

test("names that fit stay as they are", () => {
  expect(mcpNamespace("files.v2")).toBe("mcp.files.v2");
  expect(toolPart("read_file")).toBe("read_file");
  expect(toolPart("issues/list")).toBe("issues/list");
});

test("names that do not fit are made to, and two that look alike stay two", () => {
  expect(toolPart("Read File")).toMatch(/^read-file-[0-9a-f]{8}$/);
  expect(toolPart("read-file")).toBe("read-file");
  expect(toolPart("Read File")).not.toBe(toolPart("Read_File"));
  expect(mcpNamespace("GitHub")).not.toBe(mcpNamespace("github"));
});

test("whatever a server is called and calls its tools, the name fits the grammar", () => {
  const anything = fc.string({ unit: "binary", maxLength: 300 });
  fc.assert(
    fc.property(anything, anything, (server, tool) => {
      expect(`${mcpNamespace(server)}/${toolPart(tool)}`).toMatch(GRAMMAR);
    }),
  );
});
