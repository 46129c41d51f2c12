import type { Model, ModelStreamPart } from "@acumen/models";
import { createScriptedModel, type ScriptedModel } from "@acumen/models/testing";
import { tempFolder } from "@acumen/testkit";
import { mkdir, rm } from "node:fs/promises";
import {
  type AgentSettings,
  type CodingAgent,
  CodingAgentBuilder,
  type CodingAgentOptions,
  type CodingSession,
  type CreateSessionOptions,
  DEFAULT_SETTINGS,
  type EventPayload,
  type EventType,
  MemorySessionStore,
  type RunContext,
  type SessionEvent,
  textBlock,
  type Tool,
  type ToolOutcome,
  type ToolRisk,
  type ToolSource,
  type TransientUpdate,
  type TurnResult,
  type TurnSink,
} from "../../src/index.ts";

export interface TestAgentOptions {
  /** Steps of a scripted model, or a model. */
  readonly steps?: readonly unknown[];
  readonly contextWindow?: number;
  readonly model?: Model;
  readonly limits?: Partial<AgentSettings["limits"]>;
  readonly permissions?: Partial<AgentSettings["permissions"]>;
  readonly agent?: Partial<CodingAgentOptions>;
  readonly session?: Partial<CreateSessionOptions>;
  /** Beside the built-in ones. */
  readonly tools?: readonly Tool[];
  readonly trusted?: boolean;
}

export interface TestAgent extends AsyncDisposable {
  readonly agent: CodingAgent;
  readonly session: CodingSession;
  readonly cwd: string;
  readonly model: ScriptedModel;
  prompt(
    text: string,
    options?: { signal?: AbortSignal; sink?: TurnSink; source?: string },
  ): Promise<TurnResult>;
}

/** An agent with one session in a fresh folder; its tools run without asking unless the test says otherwise. */
export async function testAgent(options: TestAgentOptions = {}): Promise<TestAgent> {
  const { steps = [], contextWindow, limits, permissions, tools } = options;
  const folder = await tempFolder("agent");
  const cwd = folder.join("project");
  await mkdir(cwd);
  const scripted = createScriptedModel({
    steps,
    ...(contextWindow !== undefined && { contextWindow }),
  });
  const settings: AgentSettings = {
    ...DEFAULT_SETTINGS,
    limits: { ...DEFAULT_SETTINGS.limits, ...limits },
    permissions: { ...DEFAULT_SETTINGS.permissions, ...permissions },
  };
  const agent = new CodingAgentBuilder({
    home: folder.join("home"),
    store: new MemorySessionStore(),
    resolveModel: () => Promise.resolve(options.model ?? scripted),
    settingsFor: () => Promise.resolve(settings),
    environment: { PATH: process.env["PATH"], HOME: folder.join("user") },
    trustOnce: options.trusted ?? true,
    ...options.agent,
  }).build();
  const session = await agent.createSession({
    cwd,
    model: "scripted/inline",
    mode: "auto",
    ...(tools !== undefined && { toolSources: () => Promise.resolve([sourceOf(tools)]) }),
    ...options.session,
  });
  return {
    agent,
    session,
    cwd,
    model: scripted,
    prompt: (text, promptOptions) =>
      agent.runtime.runPrompt(session, [textBlock(text)], promptOptions),
    [Symbol.asyncDispose]: async () => {
      await agent.close();
      await rm(folder.path, { recursive: true, force: true });
    },
  };
}

function sourceOf(tools: readonly Tool[]): ToolSource {
  return {
    tools: () => tools.map((tool) => ({ exposedName: tool.name, tool })),
    ready: () => Promise.resolve(),
    close: () => Promise.resolve(),
  };
}

/** A tool of one function; kind and risk as given. */
export function toolOf(
  name: string,
  run: (input: unknown, context: RunContext) => Promise<ToolOutcome> | ToolOutcome,
  { risk = "read" as ToolRisk, kind = "read" as Tool["kind"] } = {},
): Tool {
  return {
    name,
    origin: { type: "builtin" },
    description: name,
    inputSchema: { type: "object", properties: {} },
    kind,
    risk,
    prepare: (input) =>
      Promise.resolve({
        ok: true,
        preview: {
          title: `${name} ${JSON.stringify(input)}`,
          risk,
          subject: { type: "none" },
          locations: [],
          diff: [],
        },
        run: async (context) => run(input, context),
      }),
  };
}

export function answers(text: string): () => ToolOutcome {
  return () => ({ status: "completed", output: [textBlock(text)] });
}

/** A model that streams these parts, one list per call; an error is thrown where it stands. */
export function streamModel(
  asked: unknown[],
  answersInOrder: readonly (readonly (ModelStreamPart | Error)[])[],
  rest: Partial<Model> = {},
): Model {
  const base = createScriptedModel({ steps: [] });
  let next = 0;
  return {
    id: "test/one",
    provider: "test",
    model: "one",
    capabilities: { snapshotDate: "2026-01-01" },
    languageModel: base.languageModel,
    generate: (request) => base.generate(request),
    stream: async function* (request) {
      asked.push(request.messages);
      const parts = answersInOrder[next] ?? [];
      next += 1;
      for (const part of parts) {
        await Promise.resolve();
        request.signal?.throwIfAborted();
        if (part instanceof Error) throw part;
        yield part;
      }
    },
    ...rest,
  };
}

/** Collects what a turn tells. */
export class RecordingSink implements TurnSink {
  readonly events: SessionEvent[] = [];
  readonly updates: TransientUpdate[] = [];

  event(event: SessionEvent): void {
    this.events.push(event);
  }

  update(update: TransientUpdate): void {
    this.updates.push(update);
  }
}

export function typesOf(events: readonly SessionEvent[]): EventType[] {
  return events.map(({ type }) => type);
}

export function payloadsOf<Type extends EventType>(
  events: readonly SessionEvent[],
  type: Type,
): EventPayload<Type>[] {
  return events.flatMap((event) =>
    event.type === type ? [event.payload as EventPayload<Type>] : [],
  );
}
