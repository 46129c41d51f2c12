import { expect, test } from "vitest";
import { factsOf, needsYou } from "../../src/plans/plan-facts.ts";
import {
  blindLines,
  diffLines,
  eventLines,
  listLines,
  madeLine,
  stateLine,
  statusLines,
} from "../../src/plans/plan-lines.ts";

const PLAN = {
  plan_id: "01KAFV3W5E9Q2T8M6X4Z7B1C0D",
  phase: "execute",
  state: "complete",
  waiting_for: "plan.apply",
  attempt: 2,
  terminal: false,
  isolation: "none",
  action: { name: "builtin/task" },
  project: { name: "local/shop" },
};

test("a status says where the plan stands and what can be done", () => {
  expect(statusLines(factsOf(PLAN), 80)).toEqual([
    "01KAFV3W5E9Q2T8M6X4Z7B1C0D: execute complete, attempt 2",
    "  action builtin/task in local/shop",
    "  isolation none: its commands can reach the whole machine",
    "  waits for plan.apply",
    "  next: acumen plan diff 01KAFV3W5E9Q2T8M6X4Z7B1C0D",
    "  next: acumen plan apply 01KAFV3W5E9Q2T8M6X4Z7B1C0D",
  ]);
});

test("failures, conflicts and calls that wait are named; what a terminal would obey is not", () => {
  const lines = statusLines(
    factsOf({
      ...PLAN,
      phase: "apply",
      state: "constrained",
      waiting_for: null,
      isolation: "bubblewrap",
      error: { code: "PLAN_ERROR", message: "No \u001b[31mway\u001b[0m." },
      conflicts: [{ path: "a\nb.ts", kind: "content" }],
      pending_approvals: [
        { plan_id: "P", call_id: "c1", tool: "builtin/bash", command: "rm -rf x" },
      ],
    }),
    80,
  );
  const text = lines.join("|");
  expect(text).toContain("conflict (content): a");
  expect(text).toContain("asks for builtin/bash: rm -rf x");
  expect(text).toContain("acumen plan approve P c1 [--reject]");
  expect(["\u001b", "\n"].filter((character) => text.includes(character))).toEqual([]);
});

test("--always is offered where the call can be allowed for good", () => {
  const call = { plan_id: "P", call_id: "c1", tool: "builtin/bash", command: "ls" };
  const shown = (options: string[]): string =>
    statusLines(factsOf({ ...PLAN, pending_approvals: [{ ...call, options }] }), 80).join("|");
  expect(shown(["allow_once", "allow_always", "reject_once"])).toContain(
    "approve P c1 [--always] [--reject]",
  );
  expect(shown(["allow_once", "reject_once"])).toContain("approve P c1 [--reject]");
});

test.each([
  [{}, true],
  [{ state: "processing", waiting_for: null }, false],
  [{ state: "queued", waiting_for: null }, false],
  [{ phase: "strategize", state: "queued", waiting_for: "plan.execute" }, true],
  [{ state: "processing", pending_approvals: [{ call_id: "c" }] }, true],
  [{ state: "errored", waiting_for: null }, true],
  [{ state: "constrained", waiting_for: null }, true],
  [{ state: "applied", terminal: true, waiting_for: null }, true],
])("%j needs somebody: %s", (change, needs) => {
  expect(needsYou(factsOf({ ...PLAN, ...change }))).toBe(needs);
});

test("sentences of any length fit the terminal", () => {
  const message = "The validation of the merge did not succeed. ".repeat(9);
  const error = { code: "PLAN_ERROR", message };
  const lines = [
    ...statusLines(factsOf({ ...PLAN, state: "errored", error }), 80),
    ...diffLines({ definition_of_done: { text: message } }, 80),
    ...blindLines(message, 80),
  ];
  expect(lines.join(" ").replace(/ +/g, " ").split("did not succeed")).toHaveLength(28);
  for (const line of lines) expect(line.length).toBeLessThanOrEqual(80);
});

test("a diff says what is checked and what is not before it shows the patch", () => {
  const data = {
    changeset_digest: "d1",
    changes: [{ op: "add", path: "NOTE.md" }],
    mergeable: { clean: false, conflicts: [{ path: "a\u001b[31m.ts", kind: "content" }] },
    validations: [{ name: "tests", run: "npm test" }],
    definition_of_done: { text: "All is well.", checked: false },
    patch: "+\tone\n-two    apart\u001b[31m\n",
    truncated: true,
  };
  expect(diffLines(data, 80)).toEqual([
    "digest d1",
    "  add    NOTE.md",
    "  it does not merge cleanly with the project as it is now:",
    "  conflict (content): a[31m.ts",
    "validations when applied:",
    '  "tests": npm test',
    "definition of done (not checked): All is well.",
    "",
    "+\tone",
    "-two    apart[31m",
    "… the change is longer than what is shown",
  ]);
  expect(diffLines({ validations: "none" }, 80)).toContain("validations: none");
});

test("a diff shows the whole command of each validation, and where the action stands", () => {
  const data = {
    changeset_digest: "d1",
    action: { name: "team/fix", source: ".acumen/actions/fix.md", digest: "d", prompt: "Fix it." },
    validations: [
      { name: "tests", run: `npm test ${"x".repeat(200)}`, network: false },
      { name: "all", run: "set -e\nif true; then\n\tmake\nfi\n", network: true },
    ],
  };
  expect(diffLines(data, 80)).toEqual([
    "digest d1",
    "action team/fix (.acumen/actions/fix.md)",
    "validations when applied:",
    `  "tests": npm test ${"x".repeat(200)}`,
    '  "all", with the network:',
    "    set -e",
    "    if true; then",
    "    \tmake",
    "    fi",
    "",
    "",
  ]);
});

test("nothing that a repository, a model or a server wrote drives the terminal or hides in it", () => {
  const evil = "a\u001b[2J\u009b1m\u0007\r\u202eb\u2066c\u200bd\u{e0041}e";
  const deep = (value: unknown): unknown => {
    if (typeof value === "string") return evil;
    if (Array.isArray(value)) return value.map(deep);
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, deep(one)]));
  };
  const plan = deep({
    ...PLAN,
    project: { name: "x", path: "x" },
    error: { code: "x", message: "x" },
    receipt: { commit: "x" },
    conflicts: [{ path: "x", kind: "x" }],
    pending_approvals: [
      { plan_id: "x", call_id: "x", tool: "x", command: "x", title: "x", options: ["x"] },
    ],
    validations: [{ name: "x", output: "x" }],
  }) as Parameters<typeof factsOf>[0];
  const diff = deep({
    state: "x",
    changeset_digest: "x",
    action: { name: "x", source: "x" },
    changes: [{ op: "x", path: "x" }],
    validations: [{ name: "x", run: "x" }],
    definition_of_done: { text: "x" },
    patch: "x",
  }) as Parameters<typeof diffLines>[0];
  const failing = { ...plan, validations: [{ name: evil, status: "failed", output: evil }] };
  const event = {
    event_id: "e",
    event_type: evil,
    plan_id: "p",
    session_id: null,
    timestamp: evil,
    seq: 1,
    data: { tool: evil, title: evil, message: evil },
  };
  const lines = [
    ...statusLines(factsOf(plan), 80),
    ...statusLines(factsOf(failing), 80),
    ...statusLines(factsOf({ ...failing, validations: [{ name: evil, status: "failed" }] }), 80),
    ...diffLines(
      { ...diff, mergeable: { clean: false, conflicts: [{ path: evil, kind: evil }] } },
      80,
    ),
    ...diffLines({ ...diff, partial: true, mergeable: null, validations: [] }, 80),
    ...listLines([plan], 80),
    ...blindLines(evil, 80),
    ...eventLines(event),
    madeLine(factsOf(plan)),
    stateLine(factsOf(plan)),
  ];
  expect(lines.length).toBeGreaterThan(20);
  const hidden = /[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/u;
  expect(lines.filter((line) => hidden.test(line))).toEqual([]);
});

test.each([
  ["errored", "partial: the attempt failed, and changed this before"],
  ["queued", "partial: the attempt has not begun"],
  ["processing", "partial: the attempt still works"],
])("a diff of an attempt that is %s says what it is a part of", (state, line) => {
  expect(diffLines({ partial: true, state }, 80)).toContain(line);
  expect(diffLines({ partial: false, state }, 80).join()).not.toContain("partial");
});

test("of validations that did not pass the end of the output is shown, bounded and escaped", () => {
  const output = Array.from({ length: 300 }, (_, at) => `line ${at} ${"x".repeat(100)}`).join("\n");
  const lines = statusLines(
    factsOf({
      ...PLAN,
      phase: "apply",
      state: "constrained",
      validations: [
        { name: "lint", status: "passed", output: "all is well" },
        { name: "tests", status: "failed", output: `${output}\n\u001b[31m1 !== 2\u001b[0m\n\n` },
        { name: "slow", status: "timed_out", output: "" },
      ],
    }),
    80,
  );
  const at = lines.indexOf('  the last lines of "tests":');
  expect(lines.slice(at + 1, at + 22).map((line) => line.slice(0, 13))).toEqual([
    ...Array.from({ length: 19 }, (_, index) => `    line ${281 + index} `),
    "    [31m1 !==",
    '  "slow" wrot',
  ]);
  expect(lines.join()).not.toContain("all is well");
  for (const line of lines) expect(line.length).toBeLessThanOrEqual(80);
});

test.each([
  ["apply", "constrained", ["apply", "revert", "cancel"]],
  ["execute", "errored", ["retry", "revert", "cancel"]],
  ["apply", "errored", ["retry", "revert", "cancel"]],
  ["strategize", "errored", ["retry", "cancel"]],
])("%s %s names every way on", (phase, state, verbs) => {
  const lines = statusLines(factsOf({ ...PLAN, phase, state, waiting_for: null }), 80);
  const steps = lines.flatMap((line) => /next: acumen plan (\w+)/.exec(line)?.[1] ?? []);
  expect(steps).toEqual(verbs);
});

test("an event is a line of at most 80 columns, frames are none", () => {
  const event = {
    event_id: "e",
    event_type: "tool.invoked",
    plan_id: "p",
    session_id: null,
    timestamp: "2026-12-01T10:20:30.000Z",
    seq: 1,
    data: { tool: "builtin/bash", title: "x".repeat(200) },
  };
  const [line = "", ...more] = eventLines(event);
  expect([line, more]).toEqual([
    expect.stringMatching(/^10:20:30 tool\.invoked builtin\/bash x+…$/),
    [],
  ]);
  expect(line.length).toBeLessThanOrEqual(80);
  expect(eventLines({ ...event, event_type: "snapshot" })).toEqual([]);
});

test("plans are a table, and none is said", () => {
  expect(listLines([], 80)[0]).toContain("no plans yet");
  expect(listLines([PLAN], 80)[1]).toMatch(
    /^01KAFV3W5E9Q2T8M6X4Z7B1C0D {2}execute complete +builtin\/task$/,
  );
});
