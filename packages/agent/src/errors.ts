import { errorFactory, type ErrorRow } from "@acumen/core";

export const AGENT_ERRORS = {
  AGENT_SESSION_NOT_FOUND: {
    meaning: "No stored session has this id, or it was deleted.",
    remedy: "List the sessions (`acumen sessions list`) and use one of their ids.",
  },
  AGENT_SESSION_LOCKED: {
    meaning: "Another running process has this session open.",
    remedy: "End that process (the message names its pid), or fork the session.",
  },
  AGENT_SESSION_INVALID: {
    meaning: "The metadata of a stored session cannot be read, or a newer version wrote it.",
    remedy: "Use the version that wrote it, or delete the session.",
  },
  AGENT_SESSION_CLOSED: {
    meaning: "The session was closed in this process.",
    remedy: "Open it again.",
  },
  AGENT_STORE_FAILED: {
    meaning: "The session's log or metadata could not be written.",
    remedy:
      "Free space or mend permissions of the folder that the message names; what was stored stays.",
  },
  AGENT_CURSOR_INVALID: {
    meaning: "The cursor of a list is not one that a list gave.",
    remedy: "Begin again without a cursor.",
  },
  AGENT_EVENT_UNKNOWN: {
    meaning: "The session's log has no event with this seq, or none where it can be cut.",
    remedy: "Look at the seqs with `acumen sessions show ID`.",
  },
  AGENT_WORKSPACE_INVALID: {
    meaning: "A working directory does not exist, is no folder, or may not be used.",
    remedy: "Name an existing folder.",
  },
  AGENT_WORKSPACE_UNTRUSTABLE: {
    meaning:
      "This folder can't be trusted: it is the root, the home folder or a parent of it, or its `.acumen` folder holds a link, too much or settings that cannot be used, or changed meanwhile.",
    remedy: "Trust the project's own folder; the message says what stands in the way.",
  },
  AGENT_TRUST_INVALID: {
    meaning: "The file of trusted workspaces cannot be read.",
    remedy: "Mend or remove the file that the message names.",
  },
  AGENT_RULE_INVALID: {
    meaning: "A permission rule cannot be read.",
    remedy: "Write `tool` or `tool(pattern)`; the message names the rule and the place.",
  },
  AGENT_PROMPT_INVALID: {
    meaning: "A prompt is empty, too large, or names a file that may not be read.",
    remedy: "Follow the message.",
  },
  AGENT_NO_CREDENTIALS: {
    meaning: "A model noticed, when a turn asked it, that it needs a key and has none.",
    remedy: "Run `acumen setup`, or set the variable that the message names.",
  },
  AGENT_UNDO_REFUSED: {
    meaning: "Files were changed by somebody else since, or nothing is there to undo.",
    remedy: "Look at the files that the message names.",
  },
  AGENT_FEEDBACK_INVALID: {
    meaning: "There is no finished turn to rate, or the rating is unknown.",
    remedy: "Rate a finished turn with `good` or `bad`.",
  },
  AGENT_PROPOSALS_INVALID: {
    meaning: "The file of proposed skills cannot be read, or holds no skill of this id.",
    remedy: "Look at `acumen skillbook review`.",
  },
  AGENT_MCP_CONFIG_INVALID: {
    meaning:
      "A file that says which MCP servers there are cannot be read or changed, or a definition is not usable.",
    remedy: "Mend the place that the message names; nothing was changed.",
  },
  AGENT_MCP_SERVER_EXISTS: {
    meaning: "An MCP server of this name is defined already.",
    remedy: "Choose another name, or replace it with `acumen mcp add --force`.",
  },
  AGENT_MCP_SERVER_UNKNOWN: {
    meaning: "No MCP server of this name is defined on this machine or known in this session.",
    remedy: "Look at `acumen mcp list`; names are compared exactly.",
  },
  AGENT_MCP_SERVER_NOT_ENABLED: {
    meaning:
      "An MCP server that is not enabled in this workspace cannot be paused, resumed or tried again.",
    remedy: "Enable it with `acumen mcp enable NAME`.",
  },
  AGENT_TOOL_REFUSED: {
    meaning:
      "The model's service refuses requests that hold a tool of a server; the tool was left out, and the turn went on.",
    remedy: "Tell the server's makers what the service says about the tool's schema.",
  },
  AGENT_TOOL_FAILED: {
    meaning: "A tool threw instead of answering; the model was told, and the turn went on.",
    remedy: "Report it with the log of the session; a tool server may have to be restarted.",
  },
  AGENT_TURN_FAILED: {
    meaning: "A turn ended by a fault of the program itself; what was logged stays.",
    remedy: "Report it with the message; the session can be used again.",
  },
} as const satisfies Record<string, ErrorRow>;

export type AgentErrorCode = keyof typeof AGENT_ERRORS;

export const agentError = errorFactory(AGENT_ERRORS);
