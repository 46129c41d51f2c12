import type { ContentBlock } from "@agentclientprotocol/sdk";
import { expect, test } from "vitest";
import { storedBlock, wireBlock } from "../../src/mapping/content-blocks.ts";

const BLOCKS: readonly ContentBlock[] = [
  { type: "text", text: "Look at this." },
  { type: "image", mimeType: "image/png", data: "AAAA" },
  { type: "audio", mimeType: "audio/wav", data: "AAAA" },
  { type: "resource_link", uri: "file:///w/a.ts", name: "a.ts" },
  {
    type: "resource_link",
    uri: "file:///w/b.ts",
    name: "b.ts",
    title: "B",
    description: "the other",
    mimeType: "text/plain",
    size: 12,
  },
  { type: "resource", resource: { uri: "mem://a", text: "inside" } },
  { type: "resource", resource: { uri: "mem://b", mimeType: "application/pdf", blob: "AAAA" } },
];

test.each(BLOCKS)("a block of a prompt comes back as it was sent: $type", (block) => {
  expect(wireBlock(storedBlock(block))).toEqual(block);
});

test("a field that a host sends as null is as good as absent", () => {
  const link = { type: "resource_link" as const, uri: "file:///a", name: "a" };
  expect(storedBlock({ ...link, title: null, size: null, mimeType: null })).toEqual(link);
});

test("what a tool answers in a structure is shown as text", () => {
  expect(wireBlock({ type: "structured", data: { a: 1 } })).toEqual({
    type: "text",
    text: '{\n  "a": 1\n}',
  });
  expect(wireBlock({ type: "structured", data: undefined })).toEqual({
    type: "text",
    text: "null",
  });
});
