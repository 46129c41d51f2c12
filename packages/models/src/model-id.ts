import { closest } from "@acumen/core";
import { modelError } from "./errors.ts";
import { MODEL_PREFIXES } from "./providers/catalogue.ts";

export interface ModelId {
  /** Prefix: one of `MODEL_PREFIXES`, or `scripted` or `recorded`. */
  readonly provider: string;
  /** What follows the prefix; may hold slashes. */
  readonly model: string;
}

/** Prefixes of the models that tests and demos bring as files; the rest of the id is a path. */
export const FILE_PREFIXES = ["scripted", "recorded"] as const;

/** How LiteLLM reads names without a prefix. */
const BARE_NAMES = [
  [/^(?:gpt|chatgpt|o\d|ft:(?:gpt|o\d))/i, "openai"],
  [/^claude/i, "anthropic"],
  [/^gemini/i, "gemini"],
] as const;

/** The engine's embedded model is no provider's; its id is known here only to be recognised when it is misspelt. */
const EMBEDDED_ID = "builtin/recall";

const MAX_ID_CHARS = 512;
const SHOWN_ID_CHARS = 100;

/**
 * Reads a model id as LiteLLM does: `prefix/name`, or the bare name of a GPT, o-series, Claude or Gemini model.
 * @throws MODEL_FAILED of kind `unknown_model`, with what was probably meant and the prefixes
 */
export function parseModelId(id: string): ModelId {
  if (id.length > MAX_ID_CHARS) {
    throw unknownModel(id, `has ${id.length} characters; at most ${MAX_ID_CHARS} are accepted`);
  }
  // Control characters, line breaks included, and lone surrogates have no business in an id.
  if (/[\p{C}\u2028\u2029]/u.test(id)) throw unknownModel(id, "holds unprintable characters");
  const slash = id.indexOf("/");
  return slash === -1 ? bareName(id) : prefixed(id, slash);
}

function bareName(id: string): ModelId {
  const provider = BARE_NAMES.find(([pattern]) => pattern.test(id))?.[1];
  if (provider !== undefined) return { provider, model: id };
  throw unknownModel(
    id,
    id.trim() === "" ? "is empty" : "has no prefix and no name known by itself",
  );
}

function prefixed(id: string, slash: number): ModelId {
  const prefix = id.slice(0, slash);
  const model = id.slice(slash + 1);
  if (![...MODEL_PREFIXES, ...FILE_PREFIXES].includes(prefix)) {
    throw unknownModel(id, `has the unknown prefix "${printable(prefix)}"`, meant(id, slash));
  }
  if (model.trim() === "" || model !== model.trim()) {
    throw unknownModel(id, "needs a name after the prefix, without spaces around it");
  }
  return { provider: prefix, model };
}

/** The id that one with an unknown prefix was probably meant to be. */
function meant(id: string, slash: number): string | undefined {
  const prefix = id.slice(0, slash);
  const [embedded = ""] = EMBEDDED_ID.split("/");
  const near = closest(prefix, [embedded, ...MODEL_PREFIXES]);
  if (near === embedded) return EMBEDDED_ID;
  return near === undefined ? undefined : `${near}${printable(id.slice(slash))}`;
}

/** With a suggestion the rest stays short: whoever mistyped a letter needs no lesson about ids. */
function unknownModel(id: string, reason: string, suggestion?: string): Error {
  const shown = printable(id);
  const prefixes = MODEL_PREFIXES.join(", ");
  const remedy =
    suggestion === undefined
      ? `Ids are "prefix/name" with one of the prefixes ${prefixes}; names that start with gpt, chatgpt, o1 (o3, …), claude or gemini need no prefix.`
      : `Did you mean ${suggestion}? Prefixes: ${prefixes}.`;
  return modelError(`Model id "${shown}" ${reason}. ${remedy}`, {
    provider: "unknown",
    model: shown,
    kind: "unknown_model",
  });
}

/** Ids may come over a wire: shown on one line and bounded. */
function printable(text: string): string {
  return Array.from(text.replace(/[^\p{L}\p{N}\p{P}\p{S} ]/gu, ""))
    .slice(0, SHOWN_ID_CHARS)
    .join("");
}
