import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseJsonWithComments } from "../../../src/json/json-with-comments.ts";
import {
  withItem,
  withoutItems,
  withoutProperty,
  withProperty,
} from "../../../src/mcp/config/json-splice.ts";

const COMMENTED = `// mine
{
  // servers
  "mcpServers": {
    // about a
    "a": { "command": "x" }, // still about a
    /* about b */
    "b": {
      "command": "y", // trailing comma next
    }, // still about b
  },
  "other": [1, 2],
}
// end
`;

const at = ["mcpServers"];

describe("an edit touches nothing else", () => {
  test("when it adds", () => {
    expect(withProperty(COMMENTED, at, "c", { command: "z" })).toBe(
      COMMENTED.replace(
        "// still about b\n",
        '// still about b\n    "c": {\n      "command": "z"\n    }\n',
      ),
    );
  });

  test("when it adds behind a last one without a comma", () => {
    const text = '{\n\t"mcpServers": {\n\t\t"a": {} // about a\n\t}\n}\n';
    expect(withProperty(text, at, "b", { x: 1 })).toBe(
      '{\n\t"mcpServers": {\n\t\t"a": {}, // about a\n\t\t"b": {\n\t\t\t"x": 1\n\t\t}\n\t}\n}\n',
    );
  });

  test("when it replaces", () => {
    expect(withProperty(COMMENTED, at, "a", { command: "z" })).toBe(
      COMMENTED.replace('{ "command": "x" }', '{\n      "command": "z"\n    }'),
    );
  });

  test("when it removes the first, the last, the only one", () => {
    expect(withoutProperty(COMMENTED, at, "a")).toBe(
      COMMENTED.replace('"a": { "command": "x" }, // still', "// still"),
    );
    const plain = '{\n  "mcpServers": {\n    "a": {},\n    "b": {}\n  }\n}\n';
    expect(withoutProperty(plain, at, "a")).toBe('{\n  "mcpServers": {\n    "b": {}\n  }\n}\n');
    expect(withoutProperty(plain, at, "b")).toBe('{\n  "mcpServers": {\n    "a": {}\n  }\n}\n');
    const one = '{\r\n  "mcpServers": {\r\n    "a": {}\r\n  }\r\n}\r\n';
    expect(withoutProperty(one, at, "a")).toBe('{\r\n  "mcpServers": {\r\n  }\r\n}\r\n');
    expect(withoutProperty(plain, at, "c")).toBe(plain);
  });

  test("when the text has no line breaks, or others", () => {
    expect(withItem('{"l":["a"]}', ["l"], "b")).toBe('{"l":["a", "b"]}');
    expect(withItem('{"l":["a",]}', ["l"], "b")).toBe('{"l":["a", "b"]}');
    expect(withoutItems('{"l":["a","b", "a"]}', ["l"], "a")).toBe('{"l":["b"]}');
    expect(withProperty('{\r\n  "m": {}\r\n}', ["m"], "a", 1)).toBe(
      '{\r\n  "m": {\r\n    "a": 1\r\n  }\r\n}',
    );
  });

  test("and says when there is nothing to add to", () => {
    expect(withProperty("{}", at, "a", 1)).toBeUndefined();
    expect(withProperty('{"mcpServers": []}', at, "a", 1)).toBeUndefined();
    expect(withItem('{"l": {}}', ["l"], 1)).toBeUndefined();
  });
});

const comment = fc
  .tuple(fc.boolean(), fc.string({ unit: fc.constantFrom("a", "{", '"', ",", " ", "}", "]") }))
  .map(([block, body]) => (block ? `/* §${body} */` : `// §${body}\n`));
const gap = fc
  .array(fc.oneof(comment, fc.constantFrom(" ", "\n", "\n  ", "\t", "\r\n")), { maxLength: 3 })
  .map((parts) => parts.join(""));
const name = fc.constantFrom("a", "b", "c-d", "e.f", "g_h", "constructor", "10", "é");
const value = fc.oneof(
  // As JSON has it: there is no negative zero.
  fc
    .jsonValue({ maxDepth: 2 })
    .map((one) => JSON.parse(JSON.stringify(one)) as typeof one)
    .filter((one) => !/§|__proto__/u.test(JSON.stringify(one))),
  fc.constantFrom({ command: "x", args: ["-e", "a", "-e", "a"] }, {}, [], "// no comment"),
);

/** An object as somebody may have written it: comments, blanks and a last comma anywhere. */
const objectText = fc
  .tuple(
    fc.uniqueArray(fc.tuple(name, value, gap, gap, gap, gap), { selector: ([key]) => key }),
    gap,
    fc.boolean(),
  )
  .map(([members, end, trailing]) => {
    const parts = members.map(
      ([key, one, g1, g2, g3, g4], index) =>
        `${g1}${JSON.stringify(key)}${g2}:${g3}${JSON.stringify(one, null, index % 2)}${g4}`,
    );
    return `{${parts.join(",")}${trailing && parts.length > 0 ? "," : ""}${end}}`;
  });
const fileText = fc
  .tuple(gap, gap, objectText, gap, gap)
  .map(([g1, g2, object, g3, g4]) => `${g1}{${g2}"mcpServers":${object}${g3}}${g4}`);

function valueOf(text: string | undefined): Record<string, Record<string, unknown>> {
  const parsed = parseJsonWithComments(text ?? "");
  if ("fault" in parsed) throw new Error(`${parsed.fault.text}: ${text}`);
  return parsed.value as Record<string, Record<string, unknown>>;
}

const commentsIn = (text: string): readonly string[] =>
  (text.match(/§[^\r\n]*?(?= \*\/|[\r\n])/gu) ?? []).map((one) => one.trimEnd());

describe("whatever the file looks like", () => {
  test("an added definition is there, everything else and all comments as before", () => {
    fc.assert(
      fc.property(fileText, value, (text, added) => {
        const next = withProperty(text, at, "new", added);
        const before = valueOf(text)["mcpServers"];
        expect(valueOf(next)).toEqual({ mcpServers: { ...before, new: added } });
        expect(Object.keys(valueOf(next)["mcpServers"] ?? {})).toEqual(
          Object.keys({ ...before, new: 1 }),
        );
        expect(commentsIn(next ?? "")).toEqual(commentsIn(text));
      }),
      { numRuns: 400 },
    );
  });

  test("a removed definition is gone, everything else is as before", () => {
    fc.assert(
      fc.property(fileText, name, (text, gone) => {
        const next = withoutProperty(text, at, gone);
        const { [gone]: _removed, ...others } = valueOf(text)["mcpServers"] ?? {};
        expect(valueOf(next)).toEqual({ mcpServers: others });
      }),
      { numRuns: 400 },
    );
  });

  test("what was added and removed again leaves values and comments as they were", () => {
    fc.assert(
      fc.property(fileText, value, (text, added) => {
        const next = withoutProperty(withProperty(text, at, "new", added) ?? "", at, "new");
        expect(valueOf(next)).toEqual(valueOf(text));
        expect(commentsIn(next)).toEqual(commentsIn(text));
      }),
      { numRuns: 400 },
    );
  });

  test("a list gains and loses exactly the item", () => {
    const items = fc.array(fc.tuple(fc.constantFrom("a", "b", "c"), gap, gap), { maxLength: 5 });
    fc.assert(
      fc.property(items, gap, fc.boolean(), (list, end, trailing) => {
        const parts = list.map(([item, g1, g2]) => `${g1}"${item}"${g2}`);
        const last = trailing && parts.length > 0 ? "," : "";
        const text = `{"l":[${parts.join(",")}${last}${end}]}`;
        const before = list.map(([item]) => item);
        expect(valueOf(withItem(text, ["l"], "b"))).toEqual({ l: [...before, "b"] });
        const less = withoutItems(text, ["l"], "b");
        expect(valueOf(less)).toEqual({ l: before.filter((item) => item !== "b") });
        expect(commentsIn(less)).toEqual(commentsIn(text));
      }),
      { numRuns: 400 },
    );
  });
});
