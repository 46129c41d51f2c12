import type { ModelId } from "../model-id.ts";
import type { ModelCapabilities } from "../capabilities.ts";
import type { OpenedModel } from "../providers/opened-model.ts";
import { openRecordedModel } from "./recorded-model.ts";
import { readScript } from "./script.ts";
import { scriptedLanguageModel } from "./scripted-language-model.ts";

export interface OpenedFileModel {
  readonly opened: OpenedModel;
  readonly capabilities: Pick<ModelCapabilities, "contextWindow" | "thoughtLevels">;
}

/** @throws MODEL_SCRIPT_INVALID */
export async function openFileModel({ provider, model: path }: ModelId): Promise<OpenedFileModel> {
  if (provider === "recorded") return { opened: await openRecordedModel(path), capabilities: {} };
  const script = await readScript(path);
  const { contextWindow, thoughtLevels } = script;
  return {
    opened: {
      languageModel: scriptedLanguageModel(script, path),
      traits: { structuredOutput: "schema", takesNote: true },
      secrets: [],
    },
    capabilities: {
      ...(contextWindow !== undefined && { contextWindow }),
      ...(thoughtLevels !== undefined && { thoughtLevels }),
    },
  };
}
