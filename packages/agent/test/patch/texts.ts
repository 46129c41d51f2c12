import fc from "fast-check";

/** Lines that are often equal, look like marks of the grammar, or hold unusual characters, none that make a file binary. */
const line = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom("a", "b", "", "}", "  x", "\tx", "a ") },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      "+p",
      "-m",
      " s",
      "@@ h",
      "*** End Patch",
      "*** Update File: x",
      "*** End of File",
      "\\ No newline at end of file",
      "é😀\u2028",
      "m\rn",
    ),
  },
  {
    weight: 2,
    arbitrary: fc
      .string({ unit: "binary", maxLength: 12 })
      .filter((text) => !/[\p{Cc}\uE000\uFEFF\p{Cs}]/u.test(text)),
  },
);

const lines = fc.array(line, { maxLength: 14 });

/** A text with LF line ends, possibly empty or without the last of them. */
export const lfText: fc.Arbitrary<string> = fc
  .tuple(lines, fc.boolean())
  .map(([all, ended]) => all.join("\n") + (ended && all.length > 0 ? "\n" : ""));

/** A text and what a few random edits of its lines make of it. */
export const textAndEdit: fc.Arbitrary<readonly [string, string]> = fc
  .tuple(
    lfText,
    fc.array(fc.tuple(fc.nat(20), fc.nat(3), fc.array(line, { maxLength: 3 })), { maxLength: 4 }),
    fc.boolean(),
  )
  .map(([before, edits, toggleEnd]) => {
    const ended = before.endsWith("\n") !== toggleEnd;
    const all = before === "" ? [] : before.replace(/\n$/, "").split("\n");
    for (const [at, gone, come] of edits) all.splice(at % (all.length + 1), gone, ...come);
    return [before, all.join("\n") + (ended && all.length > 0 ? "\n" : "")] as const;
  });
