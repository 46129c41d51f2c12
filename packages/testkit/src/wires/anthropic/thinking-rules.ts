import { listOf, objectOf, optionalNumber, optionalText, textOf } from "../json-read.ts";
import type { GenerateCall, Report } from "../wire.ts";
import { blocksOfType, turnsOf } from "./conversation.ts";
import type { ThinkingLedger } from "./thinking-ledger.ts";

const MIN_BUDGET = 1024;

/** The `thinking` setting, and thinking blocks that come back. */
export function checkThinking(call: GenerateCall, ledger: ThinkingLedger, report: Report): void {
  const { body, model } = call;
  const thinking = objectOf(body["thinking"]);
  const turns = turnsOf(listOf(body["messages"]));
  for (const turn of turns) {
    for (const { block, path } of blocksOfType(turn, "thinking")) {
      const signature = optionalText(block["signature"]);
      if (signature === undefined) {
        report({ message: `${path}.thinking.signature: Field required` });
      } else if (!ledger.covers(signature, textOf(block["thinking"]), model)) {
        report({ message: `${path}: Invalid \`signature\` in \`thinking\` block` });
      }
    }
  }
  if (thinking["type"] !== "enabled") return;
  checkSetting(body, thinking, report);
  // With thinking switched on, the assistant turn whose tool results come now has to begin with its thoughts.
  const open = turns.at(-1)?.role === "user" ? turns.at(-2) : undefined;
  const first = open?.blocks[0];
  if (first === undefined || blocksOfType(open, "tool_use").length === 0) return;
  const type = textOf(first.block["type"]);
  if (type === "thinking" || type === "redacted_thinking") return;
  report({
    message: `${first.path}.type: Expected \`thinking\` or \`redacted_thinking\`, but found \`${type}\`. When \`thinking\` is enabled, a final \`assistant\` message must start with a thinking block (preceeding the lastmost set of \`tool_use\` and \`tool_result\` blocks).`,
  });
}

function checkSetting(
  body: GenerateCall["body"],
  thinking: Record<string, unknown>,
  report: Report,
): void {
  const budget = optionalNumber(thinking["budget_tokens"]);
  if (budget === undefined) {
    report({ message: "thinking.enabled.budget_tokens: Field required" });
  } else if (budget < MIN_BUDGET) {
    report({
      message: `thinking.enabled.budget_tokens: Input should be greater than or equal to ${MIN_BUDGET}`,
    });
  } else if (budget >= (optionalNumber(body["max_tokens"]) ?? 0)) {
    report({ message: "`max_tokens` must be greater than `thinking.budget_tokens`." });
  }
  const choice = textOf(objectOf(body["tool_choice"])["type"]);
  if (choice === "any" || choice === "tool") {
    report({ message: "Thinking may not be enabled when tool_choice forces tool use." });
  }
  const temperature = body["temperature"];
  if (temperature !== undefined && temperature !== 1) {
    report({ message: "`temperature` may only be set to 1 when thinking is enabled." });
  }
}
