import { z } from "zod";
import { modelIdFault } from "./model-name.ts";
import { LEARNING_NAMES, MAX_STEPS, MODE_NAMES, THOUGHT_LEVEL_NAMES } from "./session-names.ts";

const MAX_RULES = 1_000;
const MAX_RULE_CHARS = 4_096;

export const modelSchema = z.string().superRefine((id, context) => {
  const fault = modelIdFault(id);
  if (fault !== undefined) context.addIssue({ code: "custom", message: fault });
});

export const modeSchema = z.enum(MODE_NAMES).meta({
  description:
    "What runs without asking. `safe` (default): reads. `auto`: everything, in a trusted workspace. `manual`: nothing.",
});

export const thoughtLevelSchema = z.enum(THOUGHT_LEVEL_NAMES).meta({
  description:
    "How much the model thinks in new sessions, where it has this level (`acumen models`). Default: as the model does by itself.",
});

function rules(description: string, examples: readonly string[]) {
  return z
    .array(z.string().min(1).max(MAX_RULE_CHARS))
    .max(MAX_RULES)
    .meta({ description, examples: [examples] })
    .exactOptional();
}

const ask = rules(
  "Calls that are asked for, whatever the mode says; rules of a trusted workspace are added.",
  ["bash(git push *)"],
);
const deny = rules(
  "Calls that never run; these win over all others. Rules of a trusted workspace are added.",
  ["bash(rm *)", "edit(secrets/**)"],
);

const PERMISSIONS = "Rules about tool calls, `tool` or `tool(pattern)`: deny over ask over allow.";

export const permissionsSchema = z
  .strictObject({
    allow: rules("Calls that run without a question.", ["bash(npm test *)", "edit(src/**)"]),
    ask,
    deny,
  })
  .meta({ description: PERMISSIONS });

/** A repository may narrow what runs, never widen it. */
export const workspacePermissionsSchema = z
  .strictObject({ ask, deny })
  .meta({ description: PERMISSIONS });

function whole(least: number, most: number, description: string) {
  return z.int().min(least).max(most).meta({ description }).exactOptional();
}

export const limitsSchema = z
  .strictObject({
    maxSteps: whole(MAX_STEPS.least, MAX_STEPS.most, "Most model calls of a turn. Default 100."),
    maxContinuations: whole(0, 1_000, "Most automatic continuations of a turn. Default 3."),
    wallClockMs: whole(
      1_000,
      7 * 86_400_000,
      "Most milliseconds of a turn; time that a person takes does not count. Default: no limit.",
    ),
    tokenBudget: whole(
      1_000,
      1_000_000_000,
      "Most input and output tokens of a turn together. Default: no limit.",
    ),
  })
  .meta({ description: "Where a turn ends by itself." });

export const learningSchema = z
  .strictObject({
    mode: z
      .enum(LEARNING_NAMES)
      .meta({
        description:
          "What a rated turn teaches. `suggest` (default): new skills wait for `acumen skillbook review`. `auto`: they go into the book. `off`: nothing is learned.",
      })
      .exactOptional(),
    model: modelSchema
      .meta({ description: "Model that learns. Default: the session's." })
      .exactOptional(),
  })
  .meta({ description: "How the agent learns from rated turns." });

export const environmentSchema = z
  .strictObject({
    pass: z
      .array(
        z
          .string()
          .max(256)
          .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, "must be the name of an environment variable"),
      )
      .max(200)
      .meta({
        description: "Variables that commands of the agent see beside the harmless ones.",
        examples: [["DATABASE_URL"]],
      })
      .exactOptional(),
  })
  .meta({ description: "Environment of the agent's commands." });
