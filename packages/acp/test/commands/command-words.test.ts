import type { ContentBlock } from "@agentclientprotocol/sdk";
import { describe, expect, test } from "vitest";
import { commandText, commandWords } from "../../src/commands/command-words.ts";

const text = (said: string): ContentBlock => ({ type: "text", text: said });
const link = (name: string): ContentBlock => ({
  type: "resource_link",
  name,
  uri: `file:///project/${name}`,
});

describe("words of a command", () => {
  test.each([
    ["/help", { name: "help", words: "" }],
    ["  /Mode  safe \n", { name: "mode", words: "safe" }],
    ["/feedback bad too\nlong", { name: "feedback", words: "bad too\nlong" }],
    ["/no-such thing", { name: "no-such", words: "thing" }],
  ])("%j", (said, found) => {
    expect(commandWords(said)).toEqual(found);
  });

  test.each(["/etc/hosts", "/", "//", "/ help", "help", "say /help", "/help.md", "/1st", ""])(
    "%j begins with none",
    (said) => {
      expect(commandWords(said)).toBeUndefined();
    },
  );
});

describe("a prompt", () => {
  test("of one text is a command when it begins with one", () => {
    expect(commandText([text("/status")])).toBe("/status");
    expect(commandText([text("see /status")])).toBeUndefined();
    expect(commandText([])).toBeUndefined();
  });

  test("may hold links, which editors add; only those between texts are named", () => {
    expect(commandText([text("/mode safe"), link("open.ts")])).toBe("/mode safe");
    expect(commandText([link("open.ts"), text("/mode safe")])).toBe("/mode safe");
    expect(commandText([text("/feedback bad look at "), link("a.ts"), text(" again")])).toBe(
      "/feedback bad look at a.ts again",
    );
    expect(commandText([link("/help")])).toBeUndefined();
  });

  test("with what would be lost is for the model", () => {
    const image: ContentBlock = { type: "image", mimeType: "image/png", data: "AA==" };
    const file: ContentBlock = {
      type: "resource",
      resource: { uri: "file:///project/a.ts", text: "code" },
    };
    expect(commandText([text("/status"), image])).toBeUndefined();
    expect(commandText([file, text("/status")])).toBeUndefined();
  });
});
