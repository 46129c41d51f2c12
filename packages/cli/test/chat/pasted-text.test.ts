import { expect, test } from "vitest";
import { PastedTexts, PasteReader } from "../../src/chat/pasted-text.ts";

function reader() {
  const pasted: string[] = [];
  const paste = new PasteReader((text) => {
    pasted.push(text);
    return `<${pasted.length}>`;
  });
  return { paste, pasted };
}

test("keys around a paste stay where they are", () => {
  const { paste, pasted } = reader();
  expect(paste.take("a\u001B[200~one\r\ntwo\u001B[201~b\u001B[200~c\u001B[201~\r")).toBe(
    "a<1>b<2>\r",
  );
  expect(pasted).toEqual(["one\ntwo", "c"]);
});

test("a paste is found however its keys are cut", () => {
  const keys = "a\u001B[200~one\rtwo\u001B[201~b";
  for (let at = 1; at < keys.length; at += 1) {
    const { paste, pasted } = reader();
    // A lone Escape is a key of its own, so a mark is not cut behind it.
    if (keys[at - 1] === "\u001B" && at < 5) continue;
    expect(paste.take(keys.slice(0, at)) + paste.take(keys.slice(at))).toBe("a<1>b");
    expect(pasted).toEqual(["one\ntwo"]);
  }
});

test("other keys pass at once", () => {
  const { paste } = reader();
  for (const key of ["\u001B", "\u001B[A", "\u001B[3~", "x"]) expect(paste.take(key)).toBe(key);
});

test("names stand for their texts, and only names that were given", () => {
  const texts = new PastedTexts();
  const name = texts.name("one\ntwo");
  expect(name).toBe("[paste 1: 2 lines]");
  expect(texts.whole(`look: ${name}, [paste 2: 2 lines]`)).toBe(
    "look: one\ntwo, [paste 2: 2 lines]",
  );
});
