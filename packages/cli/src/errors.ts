import { errorFactory, type ErrorRow } from "@acumen/core";

export const CLI_ERRORS = {
  CLI_USAGE: {
    meaning:
      "The command line names a command, option or argument that does not exist or is missing.",
    remedy: "Follow the hint in the message, or look at `acumen --help`.",
  },
  CLI_SETTING_INVALID: {
    meaning: "An environment variable of the command line has a value that it cannot work with.",
    remedy: "The message names the variable and the accepted values.",
  },
  CLI_SETTINGS_FILE_INVALID: {
    meaning:
      "The settings file cannot be read, is not JSON with comments, or holds a setting that does not exist.",
    remedy: "Mend the place that the message names; the file was not changed.",
  },
  CLI_CREDENTIALS_INVALID: {
    meaning: "The file of stored keys cannot be read or is not in its format.",
    remedy: "Mend or remove the file that the message names, then run `acumen setup`.",
  },
  CLI_CREDENTIALS_EXPOSED: {
    meaning: "Others than its owner may read the file of stored keys, so it is not used.",
    remedy:
      "Run the `chmod` that the message names; think about whether the keys must be replaced.",
  },
  CLI_NO_CREDENTIALS: {
    meaning: "The chosen model needs a key and none is there.",
    remedy: "Run `acumen setup`, set the variable that the message names, or use a local model.",
  },
  CLI_NO_MODEL: {
    meaning: "The command needs a language model, and none is chosen.",
    remedy: "Name one with --model or ACUMEN_MODEL, or run `acumen setup`.",
  },
  CLI_REFUSED_TO_AGENT: {
    meaning:
      "A command, flag or mode that grants rights was chosen by the agent itself (ACUMEN_AGENT is set).",
    remedy: "Run it in a terminal of your own, or with `--mode safe`.",
  },
  CLI_DOCTOR_FAILED: {
    meaning: "`acumen doctor` found something that keeps Acumen from working.",
    remedy: "The report names the remedy of each finding.",
  },
  CLI_SERVER_FAILED: {
    meaning: "The `ace-mcp` process could not be started, or ended before its work was done.",
    remedy: "Build the checkout (`npm run build`); the message repeats the last line of its log.",
  },
  CLI_TOOL_FAILED: {
    meaning: "`ace-mcp` answered a tool call with an error.",
    remedy: "The message repeats the server's own code and text.",
  },
  CLI_DATA_INVALID: {
    meaning: "The tickets that the tour teaches and asks are missing or damaged.",
    remedy: "Restore `packages/cli/data` from the repository.",
  },
  CLI_TOUR_FAILED: {
    meaning: "The tour ran to its end, but too little was learned or something was lost.",
    remedy: "The message and the report name every check that failed.",
  },
  CLI_INTERRUPTED: {
    meaning: "A signal ended the command; child processes were ended with it.",
    remedy: "Start the command again.",
  },
  CLI_INTERNAL: {
    meaning: "An error that nobody expected.",
    remedy: "Run again with ACUMEN_LOG=debug for the stack, and report it.",
  },
} as const satisfies Record<string, ErrorRow>;

export const cliError = errorFactory(CLI_ERRORS);
