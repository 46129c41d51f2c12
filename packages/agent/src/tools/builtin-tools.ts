import type { QuestionGateway } from "../approval/approval-gateway.ts";
import type { Redactor } from "../redaction/redactor.ts";
import type { BeforeImage } from "../session/session-store.ts";
import type { ReadLedger } from "../workspace/read-ledger.ts";
import type { Workspace } from "../workspace/workspace.ts";
import { createAskUserTool } from "./ask-user.ts";
import { createBashTool } from "./bash/bash-tool.ts";
import { createFileTools } from "./files/file-tools.ts";
import { createGlobTool } from "./search/glob-tool.ts";
import { createGrepTool } from "./search/grep-tool.ts";
import type { ToolOperations } from "./operations.ts";
import type { Tool } from "./tool.ts";
import { createUpdatePlanTool } from "./update-plan.ts";

export interface BuiltinToolDeps {
  /** The whole environment of children; see `childEnvironment`. */
  readonly environment: Readonly<Record<string, string>>;
  readonly redact: Redactor;
  /** Absolute path of an existing folder for whole outputs. */
  readonly outputFolder: () => Promise<string>;
  /** Called before a file changes. */
  readonly beforeWrite: (image: BeforeImage) => Promise<void>;
  /** What the model saw of files; shared with whatever else shows it files. */
  readonly reads: ReadLedger;
  /** Names the rule by which a file (absolute real path) is left out of searches; absent: none is. */
  readonly deniedRead?: (path: string) => string | undefined;
  /** Absent: nobody answers. */
  readonly questions?: QuestionGateway;
  /** Where the host stands in for disk and processes. */
  readonly operations?: ToolOperations;
}

export interface BuiltinTools {
  readonly tools: readonly Tool[];
  /** Ends the processes that the tools started. May be called twice. */
  close(): Promise<void>;
}

/** The tools of one session in one workspace. */
export function createBuiltinTools(workspace: Workspace, deps: BuiltinToolDeps): BuiltinTools {
  const { environment, redact, outputFolder, beforeWrite, reads, questions, operations } = deps;
  const { deniedRead = () => undefined } = deps;
  const bash = createBashTool(workspace, {
    environment,
    redact,
    outputFolder,
    ...(operations?.processes !== undefined && { processes: operations.processes }),
    ...(operations?.wrapCommand !== undefined && { wrap: operations.wrapCommand }),
  });
  const files = createFileTools(workspace, {
    redact,
    beforeWrite,
    reads,
    ...(operations?.files !== undefined && { operations: operations.files }),
  });
  return {
    tools: [
      bash.tool,
      ...files,
      createGlobTool(workspace, { redact, deniedRead }),
      createGrepTool(workspace, { redact, searchPath: environment["PATH"], deniedRead }),
      createUpdatePlanTool(),
      createAskUserTool(questions),
    ],
    close: () => bash.close(),
  };
}
