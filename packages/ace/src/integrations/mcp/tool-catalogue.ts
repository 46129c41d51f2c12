import type { McpServerConfig } from "./config.ts";
import { spelled, TOOL_NAMES, type ToolName, type ToolNameStyle } from "./tool-names.ts";
import schemas from "./tool-schemas.json" with { type: "json" };

interface ToolHints {
  readonly readOnlyHint: boolean;
  readonly destructiveHint: boolean;
  readonly idempotentHint: boolean;
  readonly openWorldHint: boolean;
}

/** What `tools/list` says of a tool. */
export interface PublishedTool {
  readonly name: ToolName;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: Readonly<Record<string, unknown>>;
  readonly outputSchema: Readonly<Record<string, unknown>>;
  readonly annotations: ToolHints;
}

interface Described {
  readonly title: string;
  /** `{ace.ask}` is replaced by the published spelling, `{ttl}` by the time a session is kept. */
  readonly description: string;
  readonly annotations: ToolHints;
}

/** Asking and learning call a model, which may be a service outside. */
const READS: ToolHints = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};
const LEARNS: ToolHints = {
  readOnlyHint: false,
  destructiveHint: false,
  idempotentHint: false,
  openWorldHint: true,
};
const REPLACES: ToolHints = {
  readOnlyHint: false,
  destructiveHint: true,
  idempotentHint: true,
  openWorldHint: false,
};

const DESCRIBED: Readonly<Record<ToolName, Described>> = {
  "ace.ask": {
    title: "Ask with learned skills",
    description:
      "Answer a question with the strategies that this session has learned so far. Call it when earlier samples or feedback of the same kind of task should help with the answer. It never changes what was learned. Keep one session_id per subject: an unknown one starts with nothing learned, and a session is kept for {ttl} after its last use. session_config counts only until the session has its model.",
    annotations: { ...READS, openWorldHint: true },
  },
  "ace.learn.sample": {
    title: "Learn from samples",
    description:
      "Teach the session with exercises: each sample is answered, compared with its ground_truth, reflected on, and turned into strategies. Call it when you know right answers, for example from labelled data or finished work. Give ground_truth wherever you know it; without it little can be learned. More epochs repeat the samples. Each sample is kept as soon as it is finished, also when the call is cancelled or runs out of time.",
    annotations: LEARNS,
  },
  "ace.learn.feedback": {
    title: "Learn from feedback",
    description:
      "Teach the session with a judgement of one answer. Call it when somebody or some test has said whether an answer was right or what was wrong with it. Repeat question and answer as they were in {ace.ask}: then the judgement is tied to that answer and to the strategies it used; an answer from elsewhere can be judged as well. Give ground_truth when the right answer is known.",
    annotations: LEARNS,
  },
  "ace.skillbook.get": {
    title: "Show learned skills",
    description:
      "List what the session has learned, best first, with counts of how often each strategy helped or harmed, and totals. Call it to show or check the strategies; {ace.ask} uses them by itself.",
    annotations: READS,
  },
  "ace.skillbook.save": {
    title: "Save skillbook to file",
    description:
      "Write the session's skillbook to a .json file on the server's machine, so that it outlives the session (which is kept for {ttl} after its last use). Call it after learning that is worth keeping. A skillbook file that stands there is replaced, whoever wrote it, unless this session loaded or saved it before and somebody changed it since: then both are merged. Other files are refused. The reply holds the absolute path for {ace.skillbook.load}.",
    annotations: REPLACES,
  },
  "ace.skillbook.load": {
    title: "Load skillbook from file",
    description:
      "Read a skillbook file on the server's machine into the session. Call it to continue with what was saved earlier. It replaces everything that the session has learned and not saved. A file that cannot be loaded changes nothing.",
    annotations: REPLACES,
  },
};

/**
 * The six tools in their fixed order. Schemas are those of the contract; a configuration above the contract's limits
 * raises them.
 */
export function toolCatalogue(config: McpServerConfig): readonly PublishedTool[] {
  return TOOL_NAMES.map((name) => {
    const { title, description, annotations } = DESCRIBED[name];
    return {
      name,
      title,
      description: filled(description, config),
      inputSchema: inputSchema(name, config),
      outputSchema: schemas.tools[name].response,
      annotations,
    };
  });
}

function inputSchema(
  name: ToolName,
  { maxSamplesPerCall, maxPromptChars }: McpServerConfig,
): Readonly<Record<string, unknown>> {
  if (name === "ace.ask") {
    const { request } = schemas.tools[name];
    const { question } = request.properties;
    const maxLength = Math.max(question.maxLength, maxPromptChars);
    return {
      ...request,
      properties: { ...request.properties, question: { ...question, maxLength } },
    };
  }
  if (name === "ace.learn.sample") {
    const { request } = schemas.tools[name];
    const { samples } = request.properties;
    const maxItems = Math.max(samples.maxItems, maxSamplesPerCall);
    return { ...request, properties: { ...request.properties, samples: { ...samples, maxItems } } };
  }
  return schemas.tools[name].request;
}

function filled(description: string, config: McpServerConfig): string {
  return description
    .replaceAll("{ttl}", `${config.sessionTtlSeconds} seconds`)
    .replaceAll(/\{(ace\.[a-z.]+)\}/g, (_whole, name: string) =>
      spelledText(name, config.toolNames),
    );
}

function spelledText(text: string, style: ToolNameStyle): string {
  const name = TOOL_NAMES.find((candidate) => candidate === text);
  return name === undefined ? text : spelled(name, style);
}
