import type { ModelId } from "../model-id.ts";
import type { ThoughtLevel } from "./thought-level.ts";

interface LevelRow {
  /** Of the whole name, as the maker of the model writes it. */
  readonly name: RegExp;
  /** In the order of THOUGHT_LEVELS. */
  readonly levels: readonly ThoughtLevel[];
}

type Rows = readonly LevelRow[];

const LOW_TO_HIGH = ["low", "medium", "high"] as const;
const NONE_TO_HIGH = ["none", ...LOW_TO_HIGH] as const;
const LOW_TO_XHIGH = [...LOW_TO_HIGH, "xhigh"] as const;
const LOW_TO_MAX = [...LOW_TO_XHIGH, "max"] as const;

/** A date or a tag behind a name is the same model. */
const TAG = String.raw`(?:[-@](?:\d{4}-\d\d-\d\d|\d{8}|latest|default))?`;

function row(name: string, levels: readonly ThoughtLevel[]): LevelRow {
  return { name: new RegExp(`^(?:${name})${TAG}$`), levels };
}

/*
 * Which levels a model takes: what the services document, as LiteLLM's table of November 2026 and the provider packages
 * repeat it. A level that the package has no word for is left out, and so is a model of which nothing is known. The first row
 * that fits counts.
 */

const OPENAI: Rows = [
  row(String.raw`o1|o1-pro|o3|o3-mini|o3-pro|o4-mini`, LOW_TO_HIGH),
  row(String.raw`gpt-5|gpt-5-mini|gpt-5-nano`, ["minimal", ...LOW_TO_HIGH]),
  row(String.raw`gpt-5-codex|gpt-5\.1-codex|gpt-5\.1-codex-mini`, LOW_TO_HIGH),
  row(String.raw`gpt-5\.1`, NONE_TO_HIGH),
  row(String.raw`gpt-5\.1-codex-max|gpt-5\.[23]-codex`, LOW_TO_XHIGH),
  row(String.raw`gpt-5\.[245]-pro`, ["medium", "high", "xhigh"]),
  row(String.raw`gpt-5\.(?:2|4|4-mini|4-nano|5|6|6-sol|6-terra|6-luna)`, ["none", ...LOW_TO_XHIGH]),
  // The package takes `none` for exactly these names.
  { name: /^(?:gpt-6-sol|gpt-6-luna|gpt-6\.1-terra)$/, levels: ["none", ...LOW_TO_MAX] },
  row(String.raw`gpt-6(?:\.\d)?-(?:astra|astra-law|sol|luna|terra|rosalind)`, LOW_TO_MAX),
];

/** Those up to 4.5 think within a budget of tokens; later ones decide by themselves how long. */
const CLAUDE: Rows = [
  row(
    String.raw`claude-(?:3-7-sonnet|(?:opus|sonnet)-4(?:-[01])?|(?:opus|sonnet|haiku)-4-5)`,
    NONE_TO_HIGH,
  ),
  row(String.raw`claude-(?:opus|sonnet)-4-6`, [...NONE_TO_HIGH, "max"]),
  row(String.raw`claude-opus-4-[78]|claude-(?:opus|sonnet)-5|claude-haiku-5-5`, [
    "none",
    ...LOW_TO_MAX,
  ]),
  // These always think.
  row(String.raw`claude-(?:opus|sonnet)-5-5|claude-(?:fable|mythos)-5(?:-1)?`, LOW_TO_MAX),
];

const GEMINI: Rows = [
  row(String.raw`gemini-2\.5-pro`, LOW_TO_HIGH),
  row(String.raw`gemini-2\.5-flash(?:-lite)?(?:-preview-\d\d-\d{4})?`, NONE_TO_HIGH),
  row(String.raw`gemini-3-pro-preview`, ["low", "high"]),
  row(String.raw`gemini-3\.1-pro-preview(?:-customtools)?`, LOW_TO_HIGH),
  row(
    String.raw`gemini-3-flash-preview|gemini-3\.1-flash-lite(?:-preview)?|gemini-3\.5-flash(?:-lite)?|gemini-3\.6-flash`,
    ["minimal", ...LOW_TO_HIGH],
  ),
  row(String.raw`gemini-3\.[78]-flash|gemini-4-(?:argon|hydrogen)`, LOW_TO_HIGH),
];

/** Whoever serves it. */
const OPEN_WEIGHTS: Rows = [
  { name: /^(?:[\w.-]+\/)*gpt-oss(?:-safeguard)?[-:]\d+b(?:$|[-:@])/, levels: LOW_TO_HIGH },
];

const BEDROCK_CLAUDE = /^(?:[a-z-]+\.)?anthropic\.(claude-.+?)(?:-v\d+(?::\d+)?)?$/;

const PROVIDERS: Readonly<Record<string, Rows>> = {
  openai: OPENAI,
  azure: OPENAI,
  anthropic: CLAUDE,
  gemini: GEMINI,
  vertex_ai: [...CLAUDE, ...GEMINI],
  bedrock: CLAUDE,
  mistral: [
    row(
      String.raw`mistral-(?:small|small-2603|medium|medium-2604|medium-3|medium-3[.-]5|large-4|large-4-0)|devstral(?:-small|-medium)?-latest`,
      ["none", "high"],
    ),
  ],
  deepseek: [
    row(String.raw`deepseek-flash|deepseek-v4-(?:flash|pro)`, ["none", "low", "high", "max"]),
  ],
  perplexity: [row(String.raw`sonar-deep-research`, LOW_TO_HIGH)],
  groq: OPEN_WEIGHTS,
  cerebras: OPEN_WEIGHTS,
  fireworks_ai: OPEN_WEIGHTS,
  together_ai: OPEN_WEIGHTS,
  huggingface: OPEN_WEIGHTS,
  nvidia_nim: OPEN_WEIGHTS,
  ollama: OPEN_WEIGHTS,
  ollama_chat: OPEN_WEIGHTS,
  lm_studio: OPEN_WEIGHTS,
  hosted_vllm: OPEN_WEIGHTS,
  openai_compatible: OPEN_WEIGHTS,
};

/** The levels that a model takes, from the least to the most; undefined when it has none or nothing is known. */
export function thoughtLevelsOf({ provider, model }: ModelId): readonly ThoughtLevel[] | undefined {
  const rows = Object.hasOwn(PROVIDERS, provider) ? PROVIDERS[provider] : undefined;
  const plain = model.replace(/^(?:responses|chat|converse)\//, "");
  const name = provider === "bedrock" ? (BEDROCK_CLAUDE.exec(plain)?.[1] ?? plain) : plain;
  const levels = rows?.find((one) => one.name.test(name))?.levels;
  if (provider !== "bedrock" || levels === undefined) return levels;
  // Bedrock's package cannot say `none`, and the service stops below `max`.
  return levels.filter((level) => level !== "none" && level !== "max");
}
