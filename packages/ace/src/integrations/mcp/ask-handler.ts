import type { Answer, CallContext, HandlerDeps } from "./call.ts";
import { withDeadline } from "./deadline.ts";
import { mcpError } from "./errors.ts";
import { checkWireModel } from "./model-policy.ts";
import type { Requests } from "./models.ts";
import { openRunner } from "./open-runner.ts";
import { startProgress } from "./progress.ts";
import { checkAskSize } from "./sizes.ts";

/** `ace.ask`: answers with the session's skillbook and changes nothing in it. `metadata` is for the client's own records. */
export async function ask(
  request: Requests["ace.ask"],
  context: CallContext,
  deps: HandlerDeps,
): Promise<Answer<"ace.ask">> {
  const { config, registry } = deps;
  checkAskSize(request, config);
  checkWireModel(request.session_config?.model, config.allowedModels);
  const seconds = config.askTimeoutSeconds;
  const use = { create: true, signal: context.signal };
  return await registry.use(request.session_id, use, async (session) => {
    const progress = startProgress(context.sendProgress, 1, "answering");
    try {
      const { value } = await withDeadline(seconds, context.signal, async (signal) => {
        const { runner, meta } = await openRunner(session, request.session_config, {
          ...deps,
          defaultModel: config.defaultModel,
        });
        const result = await runner.ask(request.question, { context: request.context, signal });
        return { result, meta };
      });
      if (value === undefined) throw askTimeout(seconds);
      const { result, meta } = value;
      return {
        reply: {
          session_id: request.session_id,
          answer: result.answer,
          skill_count: result.skillCount,
        },
        meta: {
          "acumen/session": meta,
          "acumen/ask": { interaction_id: result.interactionId, skill_ids: result.skillIds },
        },
      };
    } finally {
      progress.stop();
    }
  });
}

function askTimeout(seconds: number): Error {
  return mcpError(
    "ACE_MCP_TIMEOUT",
    `There was no answer within ${seconds} s. Ask again, shorten the question, or raise ACE_MCP_ASK_TIMEOUT_SECONDS.`,
    { details: { timeout_seconds: seconds }, retryable: true },
  );
}
