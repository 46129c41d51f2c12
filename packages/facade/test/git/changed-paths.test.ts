import fc from "fast-check";
import { expect, test } from "vitest";
import { parseChanges } from "../../src/git/changed-paths.ts";
import { parseMergeOutcome } from "../../src/git/merge-outcome.ts";
import { overridesOf, settingVariables } from "../../src/git/git-settings.ts";

const OLD = "1".repeat(40);
const NEW = "2".repeat(40);
const NONE = "0".repeat(40);

/** A name as git allows it: anything but a NUL. */
const name = fc.string({ minLength: 1 }).filter((text) => !text.includes("\0"));

test("every name is read as it is, whatever signs of the format it holds", () => {
  fc.assert(
    fc.property(fc.uniqueArray(name, { maxLength: 8 }), (paths) => {
      const raws = paths.map((path) => `:100644 100644 ${OLD} ${NEW} M\0${path}\0`);
      const counts = paths.map((path, index) => `${index}\t1\t${path}\0`);
      const changes = parseChanges(raws.join("") + counts.join(""));
      expect(changes.map((change) => [change.path, change.insertions])).toEqual(
        paths.map((path, index) => [path, index]),
      );
    }),
  );
});

test("each kind of change is told apart", () => {
  const output =
    `:000000 100644 ${NONE} ${NEW} A\0new\0:100644 000000 ${OLD} ${NONE} D\0gone\0` +
    `:100644 100755 ${OLD} ${OLD} M\0run\0:100644 100644 ${OLD} ${NEW} R090\0from\0to\0` +
    `1\t0\tnew\0` +
    `0\t2\tgone\0` +
    `0\t0\trun\0` +
    `-\t-\t\0from\0to\0`;
  expect(
    parseChanges(output).map(({ path, op, insertions, binary }) => [path, op, insertions, binary]),
  ).toEqual([
    ["new", "add", 1, false],
    ["gone", "delete", 0, false],
    ["run", "mode", 0, false],
    ["to", "rename", null, true],
  ]);
});

test("conflicts without entries are not lost, and messages without a conflict are none", () => {
  const output = [
    "3".repeat(40),
    `100644 ${OLD} 1\ta b\tc`,
    `100644 ${NEW} 2\ta b\tc`,
    "",
    "1",
    "a b\tc",
    "CONFLICT (modify/delete)",
    "text\n",
    "1",
    "fine",
    "Auto-merging",
    "text\n",
    "2",
    "x",
    "y",
    "CONFLICT (directory rename split)",
    "text\n",
    "",
  ].join("\0");
  expect(parseMergeOutcome(output)).toEqual({
    tree: "3".repeat(40),
    conflicts: [
      { path: "a b\tc", kind: "delete_modify", base: OLD, ours: NEW, theirs: null },
      { path: "x", kind: "rename", base: null, ours: null, theirs: null },
      { path: "y", kind: "rename", base: null, ours: null, theirs: null },
    ],
  });
});

test("settings that name programs are overridden, whatever stands in their name", () => {
  const keys = [
    "filter.a=b\n.c.clean",
    "filter.x.required",
    "diff.x.textconv",
    "merge.x.driver",
    "user.name",
    "branch.a/b.mergeoptions",
    "hook.x.command",
  ];
  const overrides = overridesOf(keys);
  expect(overrides.map(([key]) => key)).toEqual(keys.filter((key) => key !== "user.name"));
  expect(settingVariables(overrides)).toMatchObject({
    GIT_CONFIG_COUNT: "6",
    GIT_CONFIG_KEY_0: "filter.a=b\n.c.clean",
    GIT_CONFIG_VALUE_0: "",
  });
});
