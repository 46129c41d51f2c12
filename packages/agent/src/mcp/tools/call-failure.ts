import type { Redactor } from "../../redaction/redactor.ts";
import { withoutName } from "../connection/without-name.ts";
import type { CallAnswer } from "../connection/mcp-connection.ts";
import { cleanServerName, cleanServerText } from "./clean-server-text.ts";

type FailedCall = Extract<CallAnswer, { readonly ok: false }>;

const MAX_MESSAGE_BYTES = 4096;

/** Stands before what the server said, which may end with many lines of output. */
const MAY_HAVE_RUN = " It may have run all the same: look before you repeat it.";

/** A call without a result in words for the model: what happened, whether it may have run, and the remedy. */
export function callFailureText(
  { kind, mayHaveRun, message }: FailedCall,
  {
    server,
    tool,
    redact,
  }: { readonly server: string; readonly tool: string; readonly redact: Redactor },
): string {
  const said = cleanServerText(withoutName(message, server), MAX_MESSAGE_BYTES, redact);
  const whose = `${cleanServerName(tool, undefined, redact)} of the MCP server ${cleanServerName(server)}`;
  const { what, remedy = "" } = WORDS[kind];
  return `${what(whose)}.${mayHaveRun ? MAY_HAVE_RUN : ""} ${said}${remedy}`;
}

const WORDS: Readonly<
  Record<FailedCall["kind"], { what: (whose: string) => string; remedy?: string }>
> = {
  timeout: {
    what: (whose) => `${whose} gave no answer in time`,
    remedy: ` A longer time is set with "timeoutMs" in the server's definition.`,
  },
  closed: { what: (whose) => `The connection ended while ${whose} ran` },
  session_lost: {
    what: (whose) => `${whose} was not answered, because the server no longer knows the session`,
  },
  too_large: {
    what: (whose) => `The answer of ${whose} is too large to be taken`,
    remedy: " Ask for less at a time.",
  },
  not_sent: { what: (whose) => `${whose} was not called` },
  refused: { what: (whose) => `${whose} got no result from the server` },
};
