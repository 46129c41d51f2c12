import { modelsError } from "../errors.ts";
import type { ModelId } from "../model-id.ts";
import type { Environment } from "../providers/credentials.ts";
import type { OpenedModel } from "../providers/opened-model.ts";

export interface OpenedFileModel {
  readonly opened: OpenedModel;
  readonly contextWindow?: number;
}

export async function openFileModel(id: ModelId, _env: Environment): Promise<OpenedFileModel> {
  await Promise.resolve();
  throw modelsError("MODEL_SCRIPT_INVALID", `not yet: ${id.model}`);
}
