import { z } from "zod";
import { headOf } from "../context/well-formed.ts";
import { CONTEXT_SOURCES, CONTEXT_VIEWS } from "../services/context-service.ts";
import { planIdParam, projectParam, sessionIdParam } from "./common-params.ts";
import { defineOperation } from "./operation.ts";

const MOST_CHARS = 2_000;
const globs = z.array(z.string().min(1).max(1024)).max(100);

export const contextGet = defineOperation({
  name: "context.get",
  summary: "What a model should know of a project for a question, within a budget of tokens.",
  params: z.strictObject({
    plan_id: planIdParam.exactOptional(),
    session_id: sessionIdParam.exactOptional(),
    project: projectParam.exactOptional(),
    query: z.string().max(10_000).exactOptional(),
    view: z.enum(CONTEXT_VIEWS).exactOptional(),
    budget_tokens: z.number().int().min(256).max(1_000_000).exactOptional(),
    reserve_tokens: z.number().int().nonnegative().max(1_000_000).exactOptional(),
    sources: z.array(z.enum(CONTEXT_SOURCES)).min(1).exactOptional(),
    include: globs.exactOptional(),
    exclude: globs.exactOptional(),
    /** Paths within the project that must be there whole. */
    pinned: z.array(z.string().min(1).max(4096)).max(100).exactOptional(),
    explain: z.boolean().exactOptional(),
  }),
  output: z.looseObject({
    context: z.looseObject({
      context_id: z.string(),
      digest: z.string(),
      view: z.enum(CONTEXT_VIEWS).exactOptional(),
      budget: z.looseObject({ limit: z.number().int(), used: z.number().int() }),
      fragments: z.array(z.looseObject({ uri: z.string(), content: z.string() })),
      dropped: z.array(z.looseObject({ uri: z.string(), reason: z.string() })),
      warnings: z.array(z.string()),
      truncated: z.boolean(),
    }),
    message: z.string(),
  }),
  scope: "context:read",
  mutating: false,
  run: async (params, context) => {
    const assembled = await context.services.get("context_service").getContext(params, context);
    const { fragments, dropped, warnings, budget } = assembled;
    const size = `${fragments.length} fragment${fragments.length === 1 ? "" : "s"}, ${budget.used} of ${budget.limit} tokens`;
    const rest = dropped.length === 0 ? "" : `, ${dropped.length} left out`;
    return {
      context: {
        ...assembled,
        budget: { ...budget },
        fragments: fragments.map((fragment) => ({ ...fragment })),
        dropped: dropped.map((one) => ({ ...one })),
        warnings: [...warnings],
      },
      message: lineOf([`${size}${rest}.`, ...warnings].join(" ")),
    };
  },
});

/** Names of files may hold ends of lines. */
function lineOf(text: string): string {
  return headOf(text.replaceAll(/\s+/gu, " "), MOST_CHARS);
}
