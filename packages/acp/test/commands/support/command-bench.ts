import {
  type CodingAgent,
  CodingAgentBuilder,
  type CodingAgentOptions,
  type CodingSession,
  DEFAULT_SETTINGS,
  FileSessionStore,
  type LearningMode,
  McpConfigManager,
  type McpHost,
  recordFeedback,
  type SessionMode,
  textBlock,
  type TurnResult,
  WorkspaceTrust,
} from "@acumen/agent";
import { createScriptedModel, type ScriptedModel } from "@acumen/models/testing";
import { tempFolder } from "@acumen/testkit";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { runCommand } from "../../../src/commands/run-command.ts";
import type { HostedAgent, ModelChoice } from "../../../src/index.ts";
import { SessionConfig } from "../../../src/sessions/session-config.ts";

export interface CommandBenchOptions {
  readonly steps?: readonly unknown[];
  readonly contextWindow?: number;
  readonly mode?: SessionMode;
  /** The workspace is trusted before the session begins. */
  readonly trusted?: boolean;
  readonly learning?: LearningMode;
  /** Who learns from ratings; default `builtin/recall`, which is no model. */
  readonly lessons?: "session";
  readonly models?: readonly ModelChoice[];
  readonly servers?: NonNullable<McpHost["servers"]>;
  readonly agent?: Partial<CodingAgentOptions>;
  readonly hosted?: Partial<HostedAgent>;
}

export interface CommandBench extends AsyncDisposable {
  readonly agent: CodingAgent;
  readonly session: CodingSession;
  readonly hosted: HostedAgent;
  readonly model: ScriptedModel;
  readonly trust: WorkspaceTrust;
  /** Absolute real path. */
  readonly cwd: string;
  readonly home: string;
  /** A turn of the model. */
  prompt(text: string): Promise<TurnResult>;
  /** What a command says; undefined: it is none. */
  say(text: string, signal?: AbortSignal): Promise<string | undefined>;
  /** Does what commands left for the time behind their answers. */
  afterwards(): Promise<void>;
  /** @param path below the workspace */
  write(path: string, text: string): Promise<void>;
}

/** A session in files, with everything that commands need. */
export async function commandBench(options: CommandBenchOptions = {}): Promise<CommandBench> {
  const folder = await tempFolder();
  const [home, cwd] = [folder.join("home"), folder.join("project")];
  await Promise.all([mkdir(home), mkdir(cwd)]);
  const environment = { PATH: process.env["PATH"], HOME: folder.join("user") };
  const trust = new WorkspaceTrust({ home, environment });
  if (options.trusted === true) await trust.trust(cwd);
  const { contextWindow } = options;
  const model = createScriptedModel({
    steps: options.steps ?? [],
    ...(contextWindow !== undefined && { contextWindow }),
  });
  const learning = {
    mode: options.learning ?? "suggest",
    ...(options.lessons !== "session" && { model: "builtin/recall" }),
  } as const;
  const agent = new CodingAgentBuilder({
    home,
    store: new FileSessionStore({ home }),
    resolveModel: () => Promise.resolve(model),
    settingsFor: () => Promise.resolve({ ...DEFAULT_SETTINGS, learning }),
    environment,
    mcp: new McpConfigManager({ home, environment, trust }),
    ...options.agent,
  }).build();
  const session = await agent.createSession({
    cwd,
    model: "scripted/inline",
    mode: options.mode ?? "safe",
    approvals: { request: () => Promise.resolve("allow_once") },
    mcp: { wait: "settled", ...(options.servers !== undefined && { servers: options.servers }) },
  });
  const later: ((signal: AbortSignal) => Promise<unknown>)[] = [];
  const afterwards = (work: (signal: AbortSignal) => Promise<unknown>): void =>
    void later.push(work);
  const hosted: HostedAgent = {
    agent,
    choose: () => Promise.resolve({ model: "scripted/inline", mode: undefined }),
    models: () => Promise.resolve(options.models ?? []),
    rate: (rated, rating, text, signal) =>
      recordFeedback({
        home,
        workspace: { cwd, trusted: rated.trusted },
        session: rated,
        rating,
        text,
        learning,
        resolveModel: () => Promise.resolve(model),
        redact: (said) => said,
        record: (draft) => rated.record(draft),
        signal,
      }),
    trust,
    ...options.hosted,
  };
  return {
    agent,
    session,
    hosted,
    model,
    trust,
    cwd,
    home,
    prompt: (text) =>
      agent.runtime.runPrompt(session, [textBlock(text)], { signal: AbortSignal.timeout(60_000) }),
    say: async (text, signal = new AbortController().signal) => {
      const config = new SessionConfig(session, hosted, []);
      const setMode = (mode: SessionMode): Promise<boolean> => config.setMode(mode);
      const models = (): Promise<readonly ModelChoice[]> => hosted.models();
      return (await runCommand(text, { hosted, session, models, setMode, signal, afterwards }))
        ?.text;
    },
    afterwards: async () => {
      for (const work of later.splice(0)) await work(AbortSignal.timeout(60_000));
    },
    write: async (path, text) => {
      await mkdir(dirname(join(cwd, path)), { recursive: true });
      await writeFile(join(cwd, path), text);
    },
    [Symbol.asyncDispose]: async () => {
      await agent.close();
      await folder[Symbol.asyncDispose]();
    },
  };
}

/** A step that writes a file, and one that ends the turn. */
export function writing(path: string, content = "x\n"): readonly unknown[] {
  return [{ toolCalls: [{ tool: "write_file", input: { path, content } }] }, { text: "Done." }];
}
