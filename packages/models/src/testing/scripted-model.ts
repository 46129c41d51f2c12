import type { LanguageModelV3, LanguageModelV3CallOptions } from "@ai-sdk/provider";
import { assembleModel, type CallSettings } from "../assemble.ts";
import type { Model } from "../model-types.ts";
import { parseScript } from "./script.ts";
import { scriptedLanguageModel } from "./scripted-language-model.ts";

export interface ScriptedModel extends Model {
  /** What it was asked, in order, tries of one call included. */
  readonly calls: readonly LanguageModelV3CallOptions[];
}

/**
 * A model that replays a script given as a value, in the form of a script file (docs/models.md).
 * @throws MODEL_SCRIPT_INVALID
 */
export function createScriptedModel(script: unknown, settings: CallSettings = {}): ScriptedModel {
  const parsed = { provider: "scripted", model: "inline" };
  const checked = parseScript(script, parsed.model);
  const { contextWindow, thoughtLevels } = checked;
  const calls: LanguageModelV3CallOptions[] = [];
  const inner = scriptedLanguageModel(checked, parsed.model);
  const languageModel: LanguageModelV3 = {
    ...inner,
    doGenerate: (call) => {
      calls.push(call);
      return inner.doGenerate(call);
    },
    doStream: (call) => {
      calls.push(call);
      return inner.doStream(call);
    },
  };
  const model = assembleModel("scripted/inline", {
    parsed,
    opened: {
      languageModel,
      traits: { structuredOutput: "schema", takesNote: true },
      secrets: [],
    },
    capabilities: {
      snapshotDate: "1970-01-01",
      ...(contextWindow !== undefined && { contextWindow }),
      ...(thoughtLevels !== undefined && { thoughtLevels }),
    },
    failure: { ...parsed, title: "The scripted model", secrets: [] },
    settings,
  });
  return Object.assign(model, { calls });
}
