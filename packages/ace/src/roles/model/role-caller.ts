import { type Clock, systemClock } from "@acumen/core";
import { type CallNote, generateObject, type Model, type ModelMessages } from "@acumen/models";
import type { z } from "zod";
import type { ModelSettings } from "../../runner/ace-options.ts";

export interface ModelRoleOptions extends ModelSettings {
  /** Where prompts take the date from, at each call. */
  readonly clock?: Clock;
  /** Scripted models count their steps per session. */
  readonly session?: string;
}

export interface RoleCall<Schema extends z.ZodType> {
  readonly messages: ModelMessages;
  readonly schema: Schema;
  readonly schemaName: string;
  readonly signal: AbortSignal | undefined;
}

/** The same question and book should give the same answer, as far as the provider allows it. */
const DEFAULT_TEMPERATURE = 0;

/** One role's way to its model: settings, structured output, and the facts of the call for `raw`. */
export class RoleCaller {
  readonly clock: Clock;
  readonly #model: Model;
  readonly #settings: {
    readonly temperature: number;
    readonly maxOutputTokens?: number;
    readonly note?: CallNote;
  };

  constructor(model: Model, options: ModelRoleOptions) {
    const { temperature = DEFAULT_TEMPERATURE, maxTokens, clock = systemClock, session } = options;
    this.clock = clock;
    this.#model = model;
    this.#settings = {
      temperature,
      ...(maxTokens !== undefined && { maxOutputTokens: maxTokens }),
      ...(session !== undefined && { note: { session } }),
    };
  }

  /** @throws MODEL_FAILED: kind `invalid_output` after four unusable answers, or what the provider failed with */
  async ask<Schema extends z.ZodType>(
    call: RoleCall<Schema>,
  ): Promise<{
    readonly value: z.output<Schema>;
    readonly raw: Readonly<Record<string, unknown>>;
  }> {
    const { signal, ...rest } = call;
    const { value, usage, attempts } = await generateObject(this.#model, {
      ...rest,
      ...this.#settings,
      ...(signal !== undefined && { signal }),
    });
    return { value, raw: { model: this.#model.id, attempts, usage } };
  }
}
