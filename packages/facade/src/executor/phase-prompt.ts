import { visibleText } from "@acumen/agent";
import { readFileSync } from "node:fs";
import type { Plan } from "../plans/plan.ts";

const FILES = {
  strategize: new URL("../../prompts/strategize.md", import.meta.url),
  execute: new URL("../../prompts/execute.md", import.meta.url),
} as const;

const TAGS = ["strategy", "definition_of_done", "findings"] as const;
type Tag = (typeof TAGS)[number];
/** An imitation of one of the tags, whatever stands around its name. */
const IMITATION = new RegExp(`<(?=\\s*/?\\s*(?:${TAGS.join("|")})\\b)`, "gi");
const MAX_DATA_CHARS = 24_000;

/**
 * What the coding agent is told in a phase: the task, and beside it as data what is known about it.
 * @param isCutOff commands reach no other machine
 */
export function phasePrompt(phase: keyof typeof FILES, plan: Plan, isCutOff: boolean): string {
  const { action, strategy, findings } = plan;
  const blocks = [
    phase === "execute" && strategy !== null ? dataBlock("strategy", strategyText(strategy)) : "",
    dataBlock("definition_of_done", action.definition_of_done ?? ""),
    dataBlock("findings", findings ?? ""),
  ];
  const text = readFileSync(FILES[phase], "utf8").trim();
  const network = phase === "execute" && isCutOff ? "- Commands run here without network." : "";
  return [network === "" ? text : `${text}\n${network}`, "# Task", action.prompt, ...blocks]
    .filter((part) => part !== "")
    .join("\n\n");
}

function strategyText({ rationale, steps }: NonNullable<Plan["strategy"]>): string {
  const list = steps.map(({ content }, index) => `${index + 1}. ${content}`);
  return [...list, "", rationale].join("\n").trim();
}

/** Bounded, with everything that cannot be seen made visible, and with one opening and one closing tag. */
function dataBlock(tag: Tag, text: string): string {
  if (text.trim() === "") return "";
  const cut =
    text.length > MAX_DATA_CHARS
      ? `${text.slice(0, MAX_DATA_CHARS)}… [${text.length - MAX_DATA_CHARS} more characters]`
      : text;
  return `<${tag}>\n${visibleText(cut).replace(IMITATION, "<\\")}\n</${tag}>`;
}
