import { errorFactory, type ErrorRow } from "@acumen/core";

export const ACE_ERRORS = {
  ACE_SKILLBOOK_INVALID: {
    meaning: "The file or value is not a skillbook in any format that is known here.",
    remedy: "Check the path; details.reason says what was found.",
  },
  ACE_SKILLBOOK_NEWER: {
    meaning: "The skillbook was written by a newer version than this one can read.",
    remedy: "Update Acumen, or save the book with the older version.",
  },
  ACE_SKILLBOOK_TOO_LARGE: {
    meaning: "The skillbook exceeds its limit in bytes or skills.",
    remedy: "Merge near-duplicates and purge invalid skills, or split the book.",
  },
  ACE_ROLE_FAILED: {
    meaning:
      "A role, environment or step threw an error without a code, or returned something of the wrong shape.",
    remedy: "See the error's cause; roles report expected failures as coded errors.",
  },
  ACE_LEARNING_DISABLED: {
    meaning: "Learning was asked for while it is switched off on this runner.",
    remedy: "Call `enableLearning()` first.",
  },
  ACE_PIPELINE_INVALID: {
    meaning:
      "The steps of a pipeline do not fit together, or a step did not provide what it promised.",
    remedy: "Order the steps so that every required field is provided before it is needed.",
  },
  ACE_TRACE_INVALID: {
    meaning: "A trace or a line of a trace file cannot be used.",
    remedy: "Traces are JSON values; trace files hold one JSON value a line.",
  },
  ACE_OPTION_INVALID: {
    meaning: "An option of the engine has a value it cannot work with.",
    remedy: "The message names the option and what was expected.",
  },
} as const satisfies Record<string, ErrorRow>;

export type AceErrorCode = keyof typeof ACE_ERRORS;

export const aceError = errorFactory(ACE_ERRORS);
