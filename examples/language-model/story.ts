// The learning loop of `ace-mcp` on a language model: a wrong answer, a judgement, a lesson, a right answer.
// Usage: npx tsx examples/language-model/story.ts [MODEL]; without a model it replays `answers.json`, without a key or network.
import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";

const replay = fileURLToPath(new URL("answers.json", import.meta.url));
const model = process.argv[2] ?? `scripted/${replay}`;
const inherited = Object.entries(process.env).filter(([, value]) => value !== undefined);
const transport = new StdioClientTransport({
  command: process.execPath,
  args: [
    fileURLToPath(new URL("./bin/ace-mcp.js", import.meta.resolve("@acumen/ace/package.json"))),
  ],
  // Keys and addresses of providers come from the environment (OPENAI_API_KEY, ANTHROPIC_API_KEY, OPENAI_BASE_URL, ...).
  env: {
    ...(Object.fromEntries(inherited) as Record<string, string>),
    ACE_MCP_DEFAULT_MODEL: model,
  },
});

/** What went wrong, as the server told it. */
class ToolFailure extends Error {}

const client = new Client({ name: "example-story", version: "1.0.0" });
await client.connect(transport);

try {
  const session_id = "story";
  const question =
    "A customer of our shop brings back a lamp, bought 40 days ago, with its receipt. Do we take it back? Answer yes or no, with the reason.";

  // Nobody has told it the shop's own rule yet.
  const first = await call("ace.ask", { session_id, question });
  console.log(`1. Asked:    ${text(first["answer"])}`);

  const feedback = await call("ace.learn.feedback", {
    session_id,
    question,
    answer: text(first["answer"]),
    feedback:
      "The rule of our shop was not applied: with a receipt we take goods back for 60 days, without one for 14 days. So the answer is yes.",
    ground_truth: "Yes: with a receipt we take goods back for 60 days.",
  });
  console.log(`2. Judged:   ${String(feedback["new_skill_count"])} new skill(s)`);
  assert.ok(Number(feedback["skill_count_after"]) >= 1, "nothing was learned from the feedback");

  const { skills } = await call("ace.skillbook.get", { session_id });
  for (const skill of skills as Record<string, unknown>[]) {
    console.log(`3. Learned:  [${text(skill["id"])}] ${text(skill["content"])}`);
  }

  const second = await call("ace.ask", {
    session_id,
    question:
      "A customer of our shop brings back a chair, bought 50 days ago, with its receipt. Do we take it back? Answer yes or no, with the reason.",
  });
  console.log(`4. Asked:    ${text(second["answer"])}`);
  assert.match(text(second["answer"]), /\byes\b/i);
  console.log("ok");
} catch (error) {
  if (!(error instanceof ToolFailure)) throw error;
  console.error(error.message);
  process.exitCode = 1;
} finally {
  await client.close();
}

async function call(name: string, args: Record<string, unknown>): Promise<Record<string, unknown>> {
  const result = await client.callTool({ name, arguments: args });
  if (result.isError === true) throw new ToolFailure(failureText(result.content));
  return result.structuredContent as Record<string, unknown>;
}

/** Errors of `ace-mcp` come as one text block that holds `{code, message, details}`. */
function failureText(content: Awaited<ReturnType<Client["callTool"]>>["content"]): string {
  const [block] = content;
  const told = block?.type === "text" ? block.text : JSON.stringify(content);
  try {
    const { code, message } = JSON.parse(told) as Record<string, unknown>;
    return `${text(code)}: ${text(message)}`;
  } catch {
    return told;
  }
}

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}
