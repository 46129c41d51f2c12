import { readInstructions } from "@acumen/agent";
import type { Project } from "../sandbox/sandboxes.ts";
import type { ContextSource } from "../services/context-service.ts";
import { type Candidate, type Collected, textForms } from "./candidate.ts";
import type { KnownPlan } from "./context-records.ts";
import { fileUri } from "./file-uri.ts";
import type { ProjectReader } from "./project-reader.ts";
import type { Subject } from "./subject.ts";
import { wellFormed } from "./well-formed.ts";

/** In this order: the first that a folder has is its instructions. */
const INSTRUCTION_NAMES = ["AGENTS.md", "CLAUDE.md", "GEMINI.md"] as const;

/** What the repository says to whoever works in it; a repository's text all the same. */
export async function instructionFragments(
  project: Project,
  reader: ProjectReader,
): Promise<Collected> {
  const found =
    project.kind === "git-checkout"
      ? await readInstructions(project.path)
      : { files: await ownInstructions(reader), problems: [] };
  return {
    candidates: found.files.map(({ path, text }) => {
      const part = { uri: fileUri(path), title: wellFormed(path), content: text };
      return guide("instructions", part, "Instructions for whoever works here.", 1);
    }),
    warnings: found.problems.map(({ path, reason }) => `${wellFormed(path)}: ${reason}.`),
  };
}

/** A folder that lies within a repository which is not served has only what is in it. */
async function ownInstructions(reader: ProjectReader) {
  for (const path of INSTRUCTION_NAMES) {
    const file = await reader.read(path);
    if (file.ok) return [{ path, text: file.text.trimEnd() }];
  }
  return [];
}

/** What is to be done and how far it is. */
export function planFragments({ plan, session, plans }: Subject): Collected {
  return {
    candidates: [
      ...(plan === undefined ? [] : [...actionFragment(plan), statusFragment(plan)]),
      ...(session === undefined
        ? []
        : [
            guide(
              "plan",
              {
                uri: `session:${session.session_id}`,
                title: "Session",
                content: [
                  `Title: ${session.title ?? ""}`,
                  `Status: ${session.status ?? "open"}`,
                  ...plans.map(
                    ({ plan_id: id, action, phase, state }) =>
                      `Plan ${id}: ${action?.name ?? "an action"}, ${phase}/${state}`,
                  ),
                ].join("\n"),
              },
              session.title ?? "",
              0.8,
            ),
          ]),
    ],
  };
}

/** The strategy that was decided on, and its steps. */
export function decisionFragments({ plan }: Subject): Collected {
  if (plan?.strategy === undefined || plan.strategy === null) return { candidates: [] };
  const { rationale, steps } = plan.strategy;
  const uri = `plan:${plan.plan_id}`;
  const list = steps.map(({ content, status }, index) => `${index + 1}. [${status}] ${content}`);
  return {
    candidates: [
      guide(
        "decisions",
        { uri: `${uri}#steps`, title: "Steps of the plan", content: list.join("\n") },
        `${steps.length} steps`,
        0.85,
      ),
      guide(
        "decisions",
        { uri: `${uri}#strategy`, title: "Strategy of the plan", content: rationale },
        "The strategy of the plan.",
        0.8,
      ),
    ].filter(({ forms: [full] }) => full?.parts.some(({ content }) => content !== "")),
  };
}

function actionFragment({ plan_id: id, action }: KnownPlan): readonly Candidate[] {
  if (action === undefined) return [];
  const { name, description, prompt, definition_of_done: done, source } = action;
  const content = [
    `Action: ${name}`,
    `Description: ${description}`,
    prompt,
    ...(done === null ? [] : [`Definition of done: ${done}`]),
  ].join("\n\n");
  const part = { uri: `plan:${id}#action`, title: "Task of the plan", content };
  const fragment = guide("plan", part, `${name}: ${description}`, 1);
  return [{ ...fragment, trust: source === "builtin" ? "trusted" : "untrusted" }];
}

function statusFragment(plan: KnownPlan): Candidate {
  const { plan_id: id, phase, state, attempt = 1 } = plan;
  const { waiting_for: waiting = null, error = null, findings = null } = plan;
  const content = [
    `Phase: ${phase}, state: ${state}, attempt: ${attempt}`,
    ...(waiting === null ? [] : [`Waits for: ${waiting}`]),
    ...(error === null ? [] : [`Failure: ${error.code}: ${error.message}`]),
    ...(plan.conflicts ?? []).map(({ path, kind }) => `Conflict: ${path} (${kind})`),
    ...(plan.validations ?? []).map(({ name, status }) => `Validation ${name}: ${status}`),
    ...(findings === null ? [] : [`Findings of the attempt before: ${findings}`]),
  ].join("\n");
  const part = { uri: `plan:${id}#status`, title: "Status of the plan", content };
  return guide("plan", part, `${phase}/${state}`, 0.9);
}

function guide(
  source: ContextSource,
  part: { readonly uri: string; readonly title: string; readonly content: string },
  reference: string,
  score: number,
): Candidate {
  const forms = textForms(part, reference);
  return { source, group: "guide", uri: part.uri, score, trust: "untrusted", forms };
}
