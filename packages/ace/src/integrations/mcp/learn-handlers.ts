import { abortError } from "@acumen/core";
import type { Sample } from "../../evaluation/evaluation.ts";
import type { LearnProgress, LearnReport } from "../../runner/reports.ts";
import type { Answer, CallContext, HandlerDeps } from "./call.ts";
import { withDeadline } from "./deadline.ts";
import { failureEnvelope, isModelFailure, mcpError } from "./errors.ts";
import { checkWireModel } from "./model-policy.ts";
import type { Requests, SampleRequest } from "./models.ts";
import { openRunner } from "./open-runner.ts";
import { startProgress } from "./progress.ts";
import type { Session } from "./session.ts";
import { checkFeedbackSize, checkSampleSizes } from "./sizes.ts";

/**
 * `ace.learn.sample`: the whole pipeline over the samples. Each sample is committed as a whole when it has finished, so a
 * deadline or cancellation leaves exactly those that had.
 */
export async function learnSamples(
  request: Requests["ace.learn.sample"],
  context: CallContext,
  deps: HandlerDeps,
): Promise<Answer<"ace.learn.sample">> {
  const { config, registry } = deps;
  checkSampleSizes(request, config);
  checkWireModel(request.session_config?.model, config.allowedModels);
  const samples = request.samples.map(toSample);
  const total = samples.length * request.epochs;
  const use = { create: true, signal: context.signal };
  return await registry.use(request.session_id, use, async (session) => {
    const progress = startProgress(context.sendProgress, total, `learning ${total} samples`);
    let latest: LearnProgress = { done: 0, total, failed: 0, skillCount: session.skillbook.size };
    const onProgress = (update: LearnProgress): void => {
      latest = update;
      progress.report(update.done, progressText(update));
    };
    try {
      const run = async (signal: AbortSignal) => {
        const opened = await openRunner(session, request.session_config, {
          ...deps,
          defaultModel: config.defaultModel,
        });
        const { epochs } = request;
        const report = await opened.runner.learn(samples, { epochs, signal, onProgress });
        return { report, meta: opened.meta };
      };
      const outcome = await withDeadline(config.learnTimeoutSeconds, context.signal, run);
      const report = outcome.value?.report;
      if (outcome.value === undefined || (outcome.passed && report?.aborted === true)) {
        throw learnTimeout(
          config.learnTimeoutSeconds,
          report ?? estimate(latest, samples.length, session),
        );
      }
      return sampleAnswer(request.session_id, outcome.value, context.signal);
    } finally {
      progress.stop();
    }
  });
}

/** `ace.learn.feedback`: tied to the remembered answer that the question matches, else learned from the fields given. */
export async function learnFeedback(
  request: Requests["ace.learn.feedback"],
  context: CallContext,
  deps: HandlerDeps,
): Promise<Answer<"ace.learn.feedback">> {
  const { config, registry } = deps;
  checkFeedbackSize(request, config);
  checkWireModel(request.session_config?.model, config.allowedModels);
  const use = { create: true, signal: context.signal };
  return await registry.use(request.session_id, use, async (session) => {
    const progress = startProgress(context.sendProgress, 1, "learning from feedback");
    try {
      const run = async (signal: AbortSignal) => {
        const { runner, meta } = await openRunner(session, request.session_config, {
          ...deps,
          defaultModel: config.defaultModel,
        });
        const report = await runner.learnFromFeedback({
          question: request.question,
          answer: request.answer,
          feedback: request.feedback,
          context: request.context,
          groundTruth: request.ground_truth,
          signal,
        });
        return { report, meta };
      };
      const { value } = await withDeadline(config.learnTimeoutSeconds, context.signal, run);
      if (value === undefined) throw learnTimeout(config.learnTimeoutSeconds);
      return {
        reply: {
          session_id: request.session_id,
          learned: true,
          skill_count_before: value.report.skillCountBefore,
          skill_count_after: value.report.skillCountAfter,
          new_skill_count: value.report.newSkillCount,
        },
        meta: {
          "acumen/session": value.meta,
          "acumen/feedback": { matched_interaction: value.report.matchedInteraction },
        },
      };
    } finally {
      progress.stop();
    }
  });
}

function sampleAnswer(
  sessionId: string,
  { report, meta }: { readonly report: LearnReport; readonly meta: object },
  signal: AbortSignal,
): Answer<"ace.learn.sample"> {
  if (report.aborted && signal.aborted) throw abortError(signal);
  const { firstError } = report;
  if (report.processed === 0 && firstError !== undefined && isModelFailure(firstError))
    throw firstError;
  return {
    reply: {
      session_id: sessionId,
      processed: report.processed,
      failed: report.failed,
      skill_count_before: report.skillCountBefore,
      skill_count_after: report.skillCountAfter,
      new_skill_count: report.newSkillCount,
    },
    meta: {
      "acumen/session": meta,
      ...(firstError && {
        "acumen/learn": {
          first_error: failureEnvelope(firstError),
        },
      }),
    },
  };
}

function toSample(sample: SampleRequest): Sample {
  return {
    question: sample.question,
    context: sample.context,
    groundTruth: sample.ground_truth,
    ...(sample.metadata !== undefined && { metadata: sample.metadata }),
  };
}

function progressText({ done, total, failed, skillCount }: LearnProgress): string {
  const failures = failed > 0 ? `, ${failed} failed` : "";
  return `${done} of ${total} samples${failures}, ${skillCount} skills`;
}

interface Finished {
  readonly processed: number;
  readonly failed: number;
  readonly skillCountAfter: number;
}

/** For work that did not even stop: what its progress had told. */
function estimate(latest: LearnProgress, samples: number, session: Session): Finished {
  const processed = Math.max(0, Math.min(samples, latest.done - latest.failed));
  return { processed, failed: samples - processed, skillCountAfter: session.skillbook.size };
}

function learnTimeout(seconds: number, finished?: Finished): Error {
  return mcpError(
    "ACE_MCP_TIMEOUT",
    `Learning did not end within ${seconds} s. What had finished by then is kept; send fewer samples at a time, or raise ACE_MCP_LEARN_TIMEOUT_SECONDS.`,
    {
      details: {
        timeout_seconds: seconds,
        ...(finished && {
          processed: finished.processed,
          failed: finished.failed,
          skill_count_after: finished.skillCountAfter,
        }),
      },
      retryable: true,
    },
  );
}
