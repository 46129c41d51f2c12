import type { AcpEvent, JsonObject } from "@acumen/facade";
import { printable, safeText, shortened } from "../terminal/printable.ts";
import { tableLines } from "../terminal/table.ts";
import { wrap } from "../terminal/wrap.ts";
import { factsOf, objectOf, objectsOf, type PlanFacts, textOf } from "./plan-facts.ts";

/** Of the output of a validation, and of conflicts. */
const MOST_LINES = 20;

/** What was made, and where: the first line of all, before anything happens. */
export function madeLine({ plan_id: id, project, project_path: path }: PlanFacts): string {
  return printable(`plan ${id} in ${project} ${path}`);
}

/** Where a plan stands, and what can be done. Sentences are wrapped; names and commands stay in one piece, to be copied. */
export function statusLines(facts: PlanFacts, width: number): readonly string[] {
  const { plan_id: id, phase, state, attempt, waiting_for: waits, isolation } = facts;
  const again = attempt > 1 ? `, attempt ${attempt}` : "";
  return [
    `${id}: ${phase} ${state}${again}`,
    ...(facts.action === "" ? [] : [`  action ${facts.action} in ${facts.project}`]),
    ...(isolation === "none" ? ["  isolation none: its commands can reach the whole machine"] : []),
    ...(facts.commit === null ? [] : [`  merged as ${facts.commit}`]),
    ...(facts.error === null ? [] : sentenceLines(failureOf(facts.error), width)),
    ...facts.failed.flatMap((validation) => outputLines(validation, width)),
    ...conflictLines(facts.conflicts),
    ...facts.pending.flatMap(approvalLines),
    ...(waits === null ? [] : [`  waits for ${waits}`]),
    ...nextSteps(facts).map((step) => `  next: ${step}`),
  ].map(indented);
}

/** Spaces at the beginning stay; whatever else a terminal would obey is made visible. */
function indented(line: string): string {
  const [indent = ""] = /^ */.exec(line) ?? [];
  return indent + printable(line.slice(indent.length));
}

function sentenceLines(text: string, width: number): readonly string[] {
  return wrap(printable(text), width, "  ");
}

function failureOf(error: JsonObject): string {
  return `${textOf(error["code"])}: ${textOf(error["message"])}`;
}

/** The end of what a validation wrote: there it says what is wrong. */
function outputLines({ name, output }: JsonObject, width: number): readonly string[] {
  const lines = safeText(textOf(output))
    .split("\n")
    .filter((line) => line.trim() !== "");
  if (lines.length === 0) return [`  "${textOf(name)}" wrote nothing`];
  const shown = lines.slice(-MOST_LINES).map((line) => `    ${shortened(line, width - 4)}`);
  const what = lines.length > shown.length ? "the last lines" : "the output";
  return [`  ${what} of "${textOf(name)}":`, ...shown];
}

function conflictLines(conflicts: readonly JsonObject[]): readonly string[] {
  const more = conflicts.length - MOST_LINES;
  return [
    ...conflicts
      .slice(0, MOST_LINES)
      .map(({ kind, path }) => `  conflict (${textOf(kind)}): ${textOf(path)}`),
    ...(more > 0 ? [`  and ${more} more`] : []),
  ].map(indented);
}

function approvalLines(approval: JsonObject): readonly string[] {
  const command = textOf(approval["command"]);
  const { options } = approval;
  const always = Array.isArray(options) && options.includes("allow_always") ? " [--always]" : "";
  return [
    `  asks for ${textOf(approval["tool"])}: ${command === "" ? textOf(approval["title"]) : command}`,
    `    acumen plan approve ${textOf(approval["plan_id"])} ${textOf(approval["call_id"])}${always} [--reject]`,
  ];
}

/** Commands that make sense now. */
function nextSteps({
  plan_id: id,
  phase,
  state,
  waiting_for: waits,
  pending,
}: PlanFacts): readonly string[] {
  const at = `${phase}/${state}`;
  if (pending.length > 0) return [];
  if (at === "strategize/complete" || (state === "queued" && waits === "plan.execute")) {
    return [`acumen plan execute ${id}`];
  }
  if (at === "execute/complete") return [`acumen plan diff ${id}`, `acumen plan apply ${id}`];
  if (state === "errored") {
    const back = phase === "strategize" ? [] : [`acumen plan revert ${id}`];
    return [`acumen plan retry ${id}`, ...back, `acumen plan cancel ${id}`];
  }
  if (at === "apply/constrained") {
    return [
      // A comment of the shell, so that the line can be copied whole.
      `acumen plan apply ${id}  # when its cause is gone`,
      `acumen plan revert ${id}`,
      `acumen plan cancel ${id}`,
    ];
  }
  return [];
}

export function listLines(plans: readonly JsonObject[], width: number): readonly string[] {
  if (plans.length === 0) return ["There are no plans yet; `acumen plan create` makes one."];
  const columns = [
    { title: "plan", width: 26 },
    { title: "state", width: 22 },
    { title: "action", width: 26 },
  ];
  const rows = plans
    .map(factsOf)
    .map(({ plan_id, phase, state, action }) => [plan_id, `${phase} ${state}`, action]);
  return tableLines(columns, rows, width);
}

/** The change as a reviewer reads it: what is checked and what is not first, then the patch. */
export function diffLines(data: JsonObject, width: number): readonly string[] {
  const changes = objectsOf(data["changes"]).map(
    ({ op, path }) => `  ${printable(textOf(op)).padEnd(6)} ${printable(textOf(path))}`,
  );
  const done = objectOf(data["definition_of_done"]);
  const action = objectOf(data["action"]);
  const mergeable = objectOf(data["mergeable"]);
  return [
    printable(`digest ${textOf(data["changeset_digest"])}`),
    ...(action === undefined ? [] : [actionLine(action)]),
    ...(data["partial"] === true ? [partialLine(textOf(data["state"]))] : []),
    ...changes,
    ...(mergeable?.["clean"] === false
      ? [
          "  it does not merge cleanly with the project as it is now:",
          ...conflictLines(objectsOf(mergeable["conflicts"])),
        ]
      : []),
    ...validationLines(data),
    ...(done === undefined
      ? []
      : wrap(`definition of done (not checked): ${printable(textOf(done["text"]))}`, width)),
    "",
    ...safeText(textOf(data["patch"])).replace(/\n$/, "").split("\n"),
    ...(data["truncated"] === true ? ["… the change is longer than what is shown"] : []),
  ];
}

function partialLine(state: string): string {
  if (state === "errored") return "partial: the attempt failed, and changed this before";
  return state === "queued"
    ? "partial: the attempt has not begun"
    : "partial: the attempt still works";
}

/** With all of their commands: whoever applies the plan runs them. */
function validationLines(data: JsonObject): readonly string[] {
  const validations = objectsOf(data["validations"]);
  if (validations.length === 0) return ["validations: none"];
  return [
    "validations when applied:",
    ...validations.flatMap(({ name, run, network }) => {
      const title = `  "${printable(textOf(name))}"${network === true ? ", with the network" : ""}:`;
      const [first = "", ...more] = safeText(textOf(run)).trimEnd().split("\n");
      return more.length === 0
        ? [`${title} ${first}`.trimEnd()]
        : [title, ...[first, ...more].map((line) => `    ${line}`)];
    }),
  ];
}

function actionLine(action: JsonObject): string {
  return printable(`action ${textOf(action["name"])} (${textOf(action["source"])})`);
}

/** Events are not to be had. */
export function blindLines(reason: string, width: number): readonly string[] {
  return wrap(printable(`events are not shown, only the state every 2 s: ${reason}`), width);
}

export function stateLine({ phase, state }: PlanFacts): string {
  return printable(`${phase} ${state}`);
}

/** One line for what happened, none where it is nothing to show. */
export function eventLines({ event_type: type, data, timestamp }: AcpEvent): readonly string[] {
  if (type === "snapshot" || type === "end") return [];
  const time = timestamp.slice(11, 19);
  const about = ["phase", "state", "name", "tool", "title", "status", "code", "message"]
    .map((name) => textOf(data[name]))
    .filter((text) => text !== "");
  return [shortened(printable(`${time} ${type} ${about.join(" ")}`.trimEnd()), 78)];
}
