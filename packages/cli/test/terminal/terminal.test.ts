import { expect, test } from "vitest";
import { createTerminal } from "../../src/terminal/terminal.ts";

const write = (): boolean => true;

test("a pipe is 80 columns wide and has no colours", () => {
  const terminal = createTerminal({ write, columns: 200 }, { color: true });
  expect(terminal).toMatchObject({ interactive: false, width: 80 });
  expect(terminal.colours.red("x")).toBe("x");
});

test("a TTY has colours unless they are switched off, and lines that can be read", () => {
  const wide = createTerminal({ write, isTTY: true, columns: 300 }, { color: true });
  expect(wide.width).toBe(100);
  expect(wide.colours.red("x")).not.toBe("x");
  const plain = createTerminal({ write, isTTY: true, columns: 60 }, { color: false });
  expect(plain.width).toBe(60);
  expect(plain.colours.red("x")).toBe("x");
});

test("prints one line for each text", () => {
  let text = "";
  createTerminal({ write: (part) => (text += part) }, { color: false }).print("a", "b");
  expect(text).toBe("a\nb\n");
});
