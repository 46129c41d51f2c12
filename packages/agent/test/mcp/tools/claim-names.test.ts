import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import fc from "fast-check";
import {
  claimNames,
  type FrozenNames,
  type ServerClaim,
} from "../../../src/mcp/tools/claim-names.ts";
import { RESERVED_TOOL_NAMES } from "../../../src/tools/reserved-names.ts";

const EXPOSABLE = /^[A-Za-z_][A-Za-z0-9_-]{0,62}$/;

function claim(
  server: string,
  tools: readonly string[],
  { onConflict = "reject", laterTools = [] }: Partial<ServerClaim> = {},
): ServerClaim {
  return { server, tools, onConflict, laterTools };
}

function qualify(server: string, tools: readonly string[], laterTools: readonly string[] = []) {
  return claim(server, tools, { onConflict: "qualify", laterTools });
}

/** Exposed names by server and raw name. */
function exposed(claims: readonly ServerClaim[], frozen?: FrozenNames) {
  return Object.fromEntries(
    [...claimNames(claims, frozen)].map(([server, names]) => [
      server,
      Object.fromEntries(names.exposed),
    ]),
  );
}

function frozenBy(claims: readonly ServerClaim[]): FrozenNames {
  return new Map([...claimNames(claims)].map(([server, names]) => [server, names.exposed]));
}

test("a name that every provider takes and nobody has stays as it is", () => {
  const longest = "x".repeat(63);
  expect(exposed([claim("s", ["search", "_x", "a-b", longest])])).toEqual({
    s: { search: "search", _x: "_x", "a-b": "a-b", [longest]: longest },
  });
});

test.each(["constructor", "toString", "__proto__"])(
  "%s, which every object has a property of, is qualified: packages of providers would lose it",
  (raw) => {
    const name = `mcp__s__${raw}`;
    expect(claimNames([claim("s", [raw])]).get("s")?.exposed).toEqual(new Map([[raw, name]]));
  },
);

test.each(RESERVED_TOOL_NAMES)("the built-in name %s is a conflict in whatever case", (name) => {
  for (const raw of [name, name.toUpperCase()]) {
    const rejecting = claimNames([claim("s", ["fine", raw])]).get("s");
    expect(rejecting?.exposed.size).toBe(0);
    expect(rejecting?.conflicts).toEqual([
      { tool: raw, owner: "built-in", resolution: "rejected" },
    ]);
    expect(rejecting?.rejected).toContain(`"${raw}" is the name of a built-in tool`);
    expect(rejecting?.rejected).toContain('Set "onConflict": "qualify" for "s"');
    expect(rejecting?.rejected).toContain(`"disabledTools": ["${raw}"]`);
    const qualifying = claimNames([qualify("s", ["fine", raw])]).get("s");
    expect(Object.fromEntries(qualifying?.exposed ?? [])).toEqual({
      fine: "fine",
      [raw]: `mcp__s__${raw}`,
    });
    expect(qualifying?.conflicts).toEqual([
      { tool: raw, owner: "built-in", resolution: `mcp__s__${raw}` },
    ]);
    expect(qualifying?.rejected).toBeUndefined();
  }
});

test("a name twice in one server is a conflict; qualified, the same name is one tool", () => {
  const rejecting = claimNames([claim("s", ["a", "b", "a"])]).get("s");
  expect(rejecting?.exposed.size).toBe(0);
  expect(rejecting?.rejected).toContain('"a" is there twice in "s" itself');
  const qualifying = claimNames([qualify("s", ["a", "b", "a"])]).get("s");
  expect(Object.fromEntries(qualifying?.exposed ?? [])).toEqual({ a: "a", b: "b" });
  expect(qualifying?.conflicts).toEqual([{ tool: "a", owner: "s", resolution: "rejected" }]);
});

test("names of one server that differ only in case are a conflict", () => {
  expect(claimNames([claim("s", ["A", "a"])]).get("s")?.rejected).toContain('"a" is there twice');
  const qualifying = claimNames([qualify("s", ["A", "a"])]).get("s");
  expect(Object.fromEntries(qualifying?.exposed ?? [])).toEqual({ A: "A", a: "mcp__s__a" });
  expect(qualifying?.conflicts).toEqual([{ tool: "a", owner: "s", resolution: "mcp__s__a" }]);
});

test("of two servers the first in rank has the name, and only the second one is touched", () => {
  const names = claimNames([claim("one", ["search"]), claim("two", ["Search", "other"])]);
  expect(Object.fromEntries(names.get("one")?.exposed ?? [])).toEqual({ search: "search" });
  const two = names.get("two");
  expect(two?.exposed.size).toBe(0);
  expect(two?.conflicts).toEqual([{ tool: "Search", owner: "one", resolution: "rejected" }]);
  expect(two?.rejected).toContain('"Search" belongs to the server "one"');
  expect(two?.rejected).toContain('"disabledTools": ["Search"].');
  expect(two?.rejected).toContain('"qualify" for "two"');
  expect(exposed([claim("one", ["search"]), qualify("two", ["Search", "other"])])).toEqual({
    one: { search: "search" },
    two: { Search: "mcp__two__Search", other: "other" },
  });
});

test("a server that is rejected takes no names from those behind it", () => {
  expect(exposed([claim("one", ["bash", "mine"]), claim("two", ["mine"])])).toEqual({
    one: {},
    two: { mine: "mine" },
  });
});

test("a name that is no name for a provider is a conflict too when two servers have it", () => {
  const names = claimNames([claim("one", ["a.b"]), claim("two", ["a.b"])]);
  expect(names.get("one")?.exposed.get("a.b")).toBe("mcp__one__a_b");
  expect(names.get("two")?.conflicts).toEqual([
    { tool: "a.b", owner: "one", resolution: "rejected" },
  ]);
});

test("many clashes make a short message, and hidden characters do not get into it", () => {
  const tools = Array.from({ length: 40 }, (_, index) => `t\u202e${index}`);
  const { rejected = "" } = claimNames([claim("one", tools), claim("two", tools)]).get("two") ?? {};
  expect(rejected).toContain('"t0"');
  expect(rejected).toContain('"t19"] and 20 more that clash.');
  expect(rejected).not.toContain("\u202e");
  expect(rejected.length).toBeLessThan(1000);
});

test("up to 20 names stand once in a remedy that can be pasted, in the order of their owners", () => {
  const raws = Array.from({ length: 18 }, (_, index) => `tool_${index}`);
  const names = claimNames([claim("one", raws), claim("two", ["bash", ...raws, "glob"])]);
  const { rejected = "" } = names.get("two") ?? {};
  expect(rejected).toContain('2 names of built-in tools, 18 names of the server "one"');
  const [, list = ""] = /"disabledTools": (\[.*\])\.$/.exec(rejected) ?? [];
  expect(JSON.parse(list)).toEqual(["bash", "glob", ...raws]);
  for (const raw of raws) expect(rejected.split(`"${raw}"`)).toHaveLength(2);
});

test("names that clash only when they are cleaned get a hash and are no conflict", () => {
  const names = claimNames([claim("s", ["a.b", "a b", "a_b", "a-b"])]).get("s");
  const hash = (raw: string) => createHash("sha256").update(`s\0${raw}`).digest("hex").slice(0, 8);
  expect(Object.fromEntries(names?.exposed ?? [])).toEqual({
    a_b: "a_b",
    "a-b": "a-b",
    "a.b": `mcp__s__a_b_${hash("a.b")}`,
    "a b": `mcp__s__a_b_${hash("a b")}`,
  });
  expect(names?.conflicts).toEqual([]);
});

test("two servers whose names are cleaned to one keep apart", () => {
  const { "x y": one, x_y: two } = exposed([claim("x y", ["do.it"]), claim("x_y", ["do it"])]);
  expect(one?.["do.it"]).toMatch(/^mcp__x_y__do_it_[0-9a-f]{8}$/);
  expect(two?.["do it"]).toMatch(/^mcp__x_y__do_it_[0-9a-f]{8}$/);
  expect(one?.["do.it"]).not.toBe(two?.["do it"]);
  expect(exposed([claim("x-y", ["a.b"]), claim("x_y", ["a b"])])).toEqual({
    "x-y": { "a.b": "mcp__x-y__a_b" },
    x_y: { "a b": "mcp__x_y__a_b" },
  });
});

test("long names with one head and one end stay apart", () => {
  const long = (verb: string) => `${"h".repeat(50)}.${verb}.${"t".repeat(70)}`;
  const names = Object.values(exposed([claim("s", [long("create"), long("delete")])])["s"] ?? {});
  expect(new Set(names).size).toBe(2);
  for (const name of names) {
    expect(name).toMatch(/^mcp__s__h+_[0-9a-f]{8}$/);
    expect(name).toHaveLength(63);
  }
});

test.each([
  ["überprüfen", "mcp__s___berpr_fen"],
  ["🔥", "mcp__s___"],
  ["7zip", "mcp__s__7zip"],
  ["", "mcp__s__"],
  ["-x", "mcp__s__-x"],
  ["admin.tools.list", "mcp__s__admin_tools_list"],
  ["a\u0000b", "mcp__s__a_b"],
  ["constructor", "mcp__s__constructor"],
  ["__proto__", "mcp__s____proto__"],
  ["mcp__t__x", "mcp__t__x"],
  ["one__two", "one__two"],
])("%j is exposed as %s", (raw, name) => {
  const { exposed: map, conflicts } = claimNames([claim("s", [raw])]).get("s") ?? {};
  expect([...(map ?? [])]).toEqual([[raw, name]]);
  expect(conflicts).toEqual([]);
});

test("a raw name that looks like a qualified one is never split, and the other tool gives way", () => {
  const tools = exposed([claim("t", ["f.oo"]), claim("s", ["mcp__t__f_oo"])]);
  expect(tools["s"]).toEqual({ mcp__t__f_oo: "mcp__t__f_oo" });
  expect(tools["t"]?.["f.oo"]).toMatch(/^mcp__t__f_oo_[0-9a-f]{8}$/);
});

test("exposed names stay as they are, whoever comes", () => {
  const first = [claim("b", ["search", "a.b"])];
  const frozen = frozenBy(first);
  const names = claimNames([claim("a", ["search"]), ...first], frozen);
  expect(Object.fromEntries(names.get("b")?.exposed ?? [])).toEqual({
    search: "search",
    "a.b": "mcp__b__a_b",
  });
  expect(names.get("b")?.rejected).toBeUndefined();
  expect(names.get("a")?.conflicts).toEqual([
    { tool: "search", owner: "b", resolution: "rejected" },
  ]);
  // Alone they would both have a hash: the one that is there keeps its name.
  const later = exposed([claim("b", ["search", "a.b", "a b"])], frozen);
  expect(later["b"]?.["a.b"]).toBe("mcp__b__a_b");
  expect(later["b"]?.["a b"]).toMatch(/^mcp__b__a_b_[0-9a-f]{8}$/);
});

test("a server that is away keeps the names that were exposed", () => {
  const frozen = frozenBy([claim("away", ["search"])]);
  const names = claimNames([claim("here", ["search", "x"])], frozen).get("here");
  expect(names?.rejected).toContain('"search" belongs to the server "away"');
  expect(exposed([claim("away", ["search"]), qualify("here", ["search"])], frozen)).toEqual({
    away: { search: "search" },
    here: { search: "mcp__here__search" },
  });
});

test("a qualified name stays qualified and listed when the owner is gone", () => {
  const frozen = frozenBy([claim("one", ["x"]), qualify("two", ["x"])]);
  const alone = new Map([...frozen].filter(([server]) => server === "two"));
  expect(exposed([qualify("two", ["x"])], alone)).toEqual({ two: { x: "mcp__two__x" } });
  const again = claimNames([claim("one", ["x"]), qualify("two", ["x"])], frozen).get("two");
  expect(again?.conflicts).toEqual([{ tool: "x", owner: "one", resolution: "mcp__two__x" }]);
});

test("tools that come later stand behind everything that is claimed, and are touched alone", () => {
  const claims = [
    claim("one", ["a"], { laterTools: ["b", "bash", "new"] }),
    claim("two", ["b"]),
    qualify("three", ["c"], ["A", "edit"]),
  ];
  const names = claimNames(claims);
  expect(exposed(claims)).toEqual({
    one: { a: "a", new: "new" },
    two: { b: "b" },
    three: { c: "c", A: "mcp__three__A", edit: "mcp__three__edit" },
  });
  expect(names.get("one")?.rejected).toBeUndefined();
  expect(names.get("one")?.conflicts).toEqual([
    { tool: "b", owner: "two", resolution: "rejected" },
    { tool: "bash", owner: "built-in", resolution: "rejected" },
  ]);
});

test("the later tools of a server that is rejected are not exposed", () => {
  expect(exposed([claim("one", ["bash"], { laterTools: ["x"] })])).toEqual({ one: {} });
});

const rawName = fc.oneof(
  fc.constantFrom("a.b", "a_b", "a-b", "A", "a", "bash", "EDIT", "", "mcp__s__a_b", "__proto__"),
  fc.string({ unit: "binary", maxLength: 6 }),
  fc.string({ unit: fc.constantFrom("a", "B", ".", "_", "\ud800", "é"), maxLength: 4 }),
  fc.nat(3).map((end) => `${"long.".repeat(30)}${end}`),
);
const serverClaims = fc.uniqueArray(
  fc.record({
    server: fc.oneof(fc.constantFrom("s", "x-y", "x_y", "x y"), fc.string({ maxLength: 80 })),
    onConflict: fc.constantFrom("reject" as const, "qualify" as const),
    tools: fc.array(rawName, { maxLength: 6 }),
    laterTools: fc.array(rawName, { maxLength: 3 }),
  }),
  { maxLength: 5, selector: ({ server }) => server },
);

function expectUsable(names: ReturnType<typeof claimNames>): void {
  const all = [...names.values()].flatMap((one) => [...one.exposed.values()]);
  for (const name of all) expect(name).toMatch(EXPOSABLE);
  const lower = all.map((name) => name.toLowerCase());
  expect(new Set(lower).size).toBe(all.length);
  for (const name of RESERVED_TOOL_NAMES) expect(lower).not.toContain(name);
}

test("whatever servers list, names are unique, usable, never built-in, and every tool is exposed or explained", () => {
  fc.assert(
    fc.property(serverClaims, (claims) => {
      const names = claimNames(claims);
      expectUsable(names);
      expect([...claimNames(claims)]).toEqual([...names]);
      for (const { server, tools, laterTools } of claims) {
        const { exposed: map, conflicts, rejected } = names.get(server) ?? {};
        const explained = new Set(conflicts?.map(({ tool }) => tool));
        if (rejected !== undefined) expect(map?.size).toBe(0);
        else {
          const missing = [...tools, ...laterTools].filter((raw) => map?.has(raw) !== true);
          expect(missing.filter((raw) => !explained.has(raw))).toEqual([]);
        }
      }
    }),
    { numRuns: 300 },
  );
});

test("names that were exposed never change, whoever comes in between", () => {
  fc.assert(
    fc.property(serverClaims, fc.nat(), (claims, seed) => {
      const before = claims.filter((_, index) => (seed >> index) % 2 === 0);
      const frozen = frozenBy(before);
      const names = claimNames(claims, frozen);
      expectUsable(names);
      for (const [server, map] of frozen) {
        for (const [raw, name] of map) expect(names.get(server)?.exposed.get(raw)).toBe(name);
      }
    }),
    { numRuns: 300 },
  );
});
