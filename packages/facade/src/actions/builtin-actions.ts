import { createHash } from "node:crypto";
import type { Action } from "../services/action-registry.ts";

const TASK_BODY = "{{prompt}}";

/** Actions that need no project of their own. */
export const BUILTIN_ACTIONS: readonly Action[] = [
  {
    name: "builtin/task",
    description: "Does what its prompt says.",
    arguments: {
      type: "object",
      properties: {
        prompt: {
          type: "string",
          minLength: 1,
          maxLength: 100_000,
          description: "What should be done.",
        },
      },
      required: ["prompt"],
      additionalProperties: false,
    },
    definition_of_done: null,
    validations: [],
    profile: null,
    body: TASK_BODY,
    source: "builtin",
    digest: createHash("sha256").update(`builtin/task@1\n${TASK_BODY}`).digest("hex"),
  },
];
