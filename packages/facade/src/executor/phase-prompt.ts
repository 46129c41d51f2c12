import { readFileSync } from "node:fs";
import { dataBlock, type DataTag } from "../plans/data-block.ts";
import type { Plan } from "../plans/plan.ts";

const FILES = {
  strategize: new URL("../../prompts/strategize.md", import.meta.url),
  execute: new URL("../../prompts/execute.md", import.meta.url),
} as const;

const MAX_DATA_CHARS = 24_000;

/**
 * What the coding agent is told in a phase: the task, and beside it as data what is known about it.
 * @param isCutOff commands reach no other machine
 */
export function phasePrompt(phase: keyof typeof FILES, plan: Plan, isCutOff: boolean): string {
  const { action, strategy, findings } = plan;
  const blocks = [
    phase === "execute" && strategy !== null ? bounded("strategy", strategyText(strategy)) : "",
    bounded("definition_of_done", action.definition_of_done ?? ""),
    bounded("findings", findings ?? ""),
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

function bounded(tag: DataTag, text: string): string {
  if (text.trim() === "") return "";
  const more = text.length - MAX_DATA_CHARS;
  const cut = more > 0 ? `${text.slice(0, MAX_DATA_CHARS)}… [${more} more characters]` : text;
  return dataBlock(tag, cut);
}
