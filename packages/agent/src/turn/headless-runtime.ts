import { type AcumenError, createId } from "@acumen/core";
import { type CallNote, NO_USAGE } from "@acumen/models";
import type { ContentBlock } from "../content/content-block.ts";
import { contentBlockSchema } from "../content/content-block.ts";
import { agentError } from "../errors.ts";
import type { CodingSession } from "../session/coding-session.ts";
import { Turn } from "./turn.ts";
import type { TurnResult } from "./turn-result.ts";
import type { TurnSink } from "./turn-sink.ts";

export interface PromptOptions {
  /** Aborting it cancels the turn and every prompt that waits behind it. */
  readonly signal?: AbortSignal;
  readonly sink?: TurnSink;
  /** Who asks, such as `cli` or `acp`. Default `user`. */
  readonly source?: string;
  /** For scripted models: which part of a script. */
  readonly note?: Pick<CallNote, "phase" | "run">;
}

/** Text of one prompt in UTF-8. */
const MAX_PROMPT_MEBIBYTES = 12;

/** Runs prompts of any number of sessions: within one session one after the other, sessions side by side. */
export class HeadlessCodingSessionRuntime {
  /**
   * One prompt until its stop reason. A prompt that comes while another one runs waits; each is answered.
   * @throws AGENT_PROMPT_INVALID, AGENT_SESSION_CLOSED, AGENT_NO_CREDENTIALS, AGENT_STORE_FAILED, MODEL_FAILED and the
   * other errors of models; an abort is no error but stop reason `cancelled`
   */
  async runPrompt(
    session: CodingSession,
    prompt: readonly ContentBlock[],
    options: PromptOptions = {},
  ): Promise<TurnResult> {
    const { signal, source = "user", sink, note } = options;
    const content = checkedPrompt(prompt);
    const turnId = createId();
    return session.queue.run(
      (turnSignal) =>
        new Turn(session, {
          turnId,
          prompt: content,
          source,
          signal: turnSignal,
          ...(sink !== undefined && { sink }),
          ...(note !== undefined && { note }),
        }).run(),
      {
        signal,
        cancelled: () => ({ stopReason: "cancelled", usage: NO_USAGE, turnId, text: "" }),
      },
    );
  }
}

/** @throws AGENT_PROMPT_INVALID */
function checkedPrompt(prompt: readonly ContentBlock[]): readonly ContentBlock[] {
  const parsed = contentBlockSchema.array().safeParse(prompt);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const place = issue === undefined ? "" : ` (${issue.path.join(".")}: ${issue.message})`;
    throw invalid(`A prompt is a list of content blocks${place}.`);
  }
  const blocks = parsed.data.filter((block) => block.type !== "text" || block.text.trim() !== "");
  if (blocks.length === 0) throw invalid("The prompt is empty; write what should be done.");
  const bytes = blocks.reduce(
    (sum, block) => sum + (block.type === "text" ? Buffer.byteLength(block.text) : 0),
    0,
  );
  if (bytes > MAX_PROMPT_MEBIBYTES * 1024 * 1024) {
    throw invalid(
      `The prompt has ${bytes} bytes, at most ${MAX_PROMPT_MEBIBYTES} MiB are taken; put the text into a file and name it.`,
    );
  }
  return parsed.data;
}

function invalid(message: string): AcumenError {
  return agentError("AGENT_PROMPT_INVALID", message);
}
