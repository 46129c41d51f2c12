import { expect, test } from "vitest";
import { definitionNotes } from "../../../src/mcp/config/definition-notes.ts";

test.each([
  ["onConflikt", "onConflict"],
  ["startup_timeout_ms", "startupTimeoutMs"],
  ["header", "headers"],
  ["enabled_tools", "enabledTools"],
])("a key that is almost ours is named: %s", (key, meant) => {
  expect(definitionNotes("one", { command: "x", [key]: "secret-value" })).toEqual([
    `\`${key}\` means nothing. Is it meant to be \`${meant}\`?`,
  ]);
});

test("that a definition is switched off is ignored, and where to switch it off is said", () => {
  const [note] = definitionNotes("one", { command: "x", disabled: true });
  expect(note).toContain("`disabled` means nothing here");
  expect(note).toContain("`acumen mcp disable one`");
  expect(definitionNotes("one", { command: "x", disabled: false })).toEqual([]);
});

test("keys of ours, of other hosts and of nobody are no slips", () => {
  const raw = {
    command: "x",
    args: [],
    env: {},
    cwd: "/",
    type: "stdio",
    timeout: 5,
    tools: ["*"],
  };
  expect(definitionNotes("one", { ...raw, autoApprove: [], icon: "x", version: 1 })).toEqual([]);
  for (const odd of [null, undefined, 1, "x", []]) expect(definitionNotes("one", odd)).toEqual([]);
});
