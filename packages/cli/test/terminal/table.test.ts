import { expect, test } from "vitest";
import { tableLines } from "../../src/terminal/table.ts";

const COLUMNS = [
  { title: "name" },
  { title: "n", width: 3, alignRight: true },
  { title: "text", width: 6 },
];

test("aligns columns, cuts cells and gives a long first cell a line of its own, whole", () => {
  const long = "x".repeat(40);
  expect(
    tableLines(
      COLUMNS,
      [
        ["a", "1", "short"],
        ["bcd", "22", "much too long"],
        [long, "3", "y"],
      ],
      30,
    ),
  ).toEqual([
    "name                 n  text",
    "a                    1  short",
    "bcd                 22  much …",
    long,
    "                     3  y",
  ]);
});

test("is as narrow as its content and brings no control characters to the terminal", () => {
  expect(tableLines(COLUMNS, [["a\u001B[2J\n", "1", "\u202Ex"]], 80)).toEqual([
    "name    n  text",
    "a[2J    1  x",
  ]);
});
