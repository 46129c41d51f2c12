import type { GatedCall } from "./gated-call.ts";
import type { SessionMode } from "./session-mode.ts";

const RISK_WORDS = {
  read: "reads",
  write: "writes files",
  execute: "runs a command",
  network: "reaches other machines",
} as const;

/** Why a mode asks for a call; undefined when it lets the call run. */
export function modeVerdict({ origin, preview }: GatedCall, mode: SessionMode): string | undefined {
  switch (mode) {
    case "auto":
      return undefined;
    case "manual":
      return "The mode manual asks for every call.";
    case "safe":
      if (origin.type === "mcp") {
        if (origin.trustedReadOnly) return undefined;
        return `The mode safe asks for tools of the server ${origin.server} that are not trusted to only read.`;
      }
      if (preview.risk === "read") return undefined;
      return `The mode safe asks, because this ${RISK_WORDS[preview.risk]}.`;
  }
}
