import { compactCommand } from "./compact.ts";
import { feedbackCommand } from "./feedback.ts";
import { helpCommand } from "./help.ts";
import type { HostCommand } from "./host-command.ts";
import { mcpCommand } from "./mcp.ts";
import { modeCommand } from "./mode.ts";
import { modelCommand } from "./model.ts";
import { planCommand } from "./plan.ts";
import { sessionsCommand } from "./sessions.ts";
import { skillsCommand } from "./skills.ts";
import { statusCommand } from "./status.ts";
import { trustCommand } from "./trust.ts";
import { undoCommand } from "./undo.ts";

/** In the order of `/help`. */
export const COMMANDS: readonly HostCommand[] = [
  helpCommand(() => COMMANDS),
  statusCommand,
  mcpCommand,
  modelCommand,
  modeCommand,
  compactCommand,
  skillsCommand,
  feedbackCommand,
  planCommand,
  sessionsCommand,
  trustCommand,
  undoCommand,
];
