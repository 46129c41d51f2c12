import fc from "fast-check";
import { expect, test } from "vitest";
import { asStored } from "../../src/client/disk-text.ts";

const lines = fc.array(fc.stringMatching(/^[a-z]{0,3}$/), { minLength: 2, maxLength: 6 });
/** How a file is stored that an editor shows with LF and without a mark. */
const storage = fc.record({
  mark: fc.constantFrom("", "\uFEFF"),
  end: fc.constantFrom("\n", "\r\n"),
});
type Storage = { readonly mark: string; readonly end: string };
const stored = (text: readonly string[], { mark, end }: Storage): string => mark + text.join(end);

test("whatever an editor does to marks and line ends, a file that was not changed is that of the disk", () => {
  fc.assert(
    fc.property(lines, storage, storage, (text, disk, held) => {
      const shown = asStored(stored(text, held), { type: "text", text: stored(text, disk) });
      expect(shown).toBeUndefined();
    }),
  );
});

test("what was changed is told as the file would store it", () => {
  fc.assert(
    fc.property(lines, storage, (text, how) => {
      const changed = ["changed", ...text, "last"];
      const disk = { type: "text", text: stored(text, how) } as const;
      expect(asStored(changed.join("\n"), disk)).toBe(stored(changed, how));
    }),
  );
});
