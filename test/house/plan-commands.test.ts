import { expect, test } from "vitest";
import { readText, trackedFiles } from "./support/repository.ts";

/** Who wires or carries: these open a way to dispatch. */
const DOORS: Readonly<Record<string, readonly string[]>> = {
  "packages/cli/src/plans/local-plans.ts": ["openSqliteStore"],
  "packages/cli/src/plans/open-plans.ts": ["AcpHttpTransport"],
};
/** What may be called of a facade: one request, and the events of a subscription that a request opened. */
const ALLOWED_CALLS: ReadonlySet<string> = new Set(["dispatch", "events"]);

const COMMANDS = ["packages/cli/src/plans/*.ts", "packages/cli/src/commands/plan.ts"];

/** Names that a source imports from the facade as values. */
function valuesOf(source: string): readonly string[] {
  return [...source.matchAll(/^import (type )?\{([^}]*)\} from "@acumen\/facade";/gm)]
    .filter(([, isType]) => isType === undefined)
    .flatMap(([, , names = ""]) => names.split(","))
    .map((name) => name.trim())
    .filter((name) => name !== "" && !name.startsWith("type "));
}

test("an import of a value is known when it is seen", () => {
  const source =
    'import { type A, B,\n C } from "@acumen/facade";\nimport type { D } from "@acumen/facade";';
  expect(valuesOf(source)).toEqual(["B", "C"]);
});

test("no plan command has anything of the facade but a way to its dispatch", () => {
  const files = trackedFiles(...COMMANDS);
  expect(files).toEqual(expect.arrayContaining(Object.keys(DOORS)));
  const found = files
    .map((path) => [path, valuesOf(readText(path))] as const)
    .filter(([, names]) => names.length > 0);
  expect(Object.fromEntries(found)).toEqual(DOORS);
});

test("a plan command in process calls the facade's dispatch and events alone, and no service of it", () => {
  const whole = readText("packages/cli/src/plans/local-plans.ts");
  const source = whole.replaceAll(/^import .*$/gm, "");
  const calls = [...source.matchAll(/\bfacade\.(\w+)/g)].map(([, name = ""]) => name);
  expect(calls).toContain("dispatch");
  expect(calls.filter((name) => !ALLOWED_CALLS.has(name))).toEqual([]);
  // What else was opened is not even looked at, but for the facade and its end.
  const used = [...source.matchAll(/.*\bopened\b(?! = await openFacade|: Awaited).*/g)];
  expect(used.map(([line]) => line.trim())).toEqual([
    "const { facade } = opened;",
    "[Symbol.asyncDispose]: () => closeInTime(opened, context),",
  ]);
});

test("every plan command asks through its client", () => {
  const source = readText("packages/cli/src/plans/run-plan-command.ts");
  const asked = [...source.matchAll(/ask\(client, [`"]([a-z]+)\./g)].map(([, family]) => family);
  expect(new Set(asked)).toEqual(new Set(["plan", "approval"]));
  expect(source).not.toMatch(/_service|PlanLifecycle|FacadeStore|AcpEventQueue/);
});
