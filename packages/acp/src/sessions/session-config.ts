import type { CodingSession, SessionMode } from "@acumen/agent";
import type { ThoughtLevel } from "@acumen/models";
import type {
  SessionConfigOption,
  SessionModeState,
  SetSessionConfigOptionRequest,
} from "@agentclientprotocol/sdk";
import { invalidParams } from "../errors/invalid-params.ts";
import { DEFAULT_LEVEL } from "../mapping/default-level.ts";
import type { HostedAgent, ModelChoice } from "../server-options.ts";

interface ModeText {
  readonly name: string;
  readonly description: string;
}

const MODES: Readonly<Record<SessionMode, ModeText>> = {
  auto: { name: "Auto", description: "Edits and runs commands without asking" },
  safe: { name: "Safe", description: "Reads without asking; asks before edits and commands" },
  manual: { name: "Manual", description: "Asks before every call of a tool" },
};
const LEVEL_NAMES: Readonly<Record<ThoughtLevel, string>> = {
  none: "None",
  minimal: "Minimal",
  low: "Low",
  medium: "Medium",
  high: "High",
  xhigh: "Extra high",
  max: "Maximum",
};
const MODE_IDS = Object.keys(MODES) as SessionMode[];

/** Mode, model and thought level of one session as hosts see and set them. */
export class SessionConfig {
  readonly #session: CodingSession;
  readonly #hosted: Pick<HostedAgent, "checkMode" | "models">;
  #models: readonly ModelChoice[];

  constructor(
    session: CodingSession,
    hosted: Pick<HostedAgent, "checkMode" | "models">,
    models: readonly ModelChoice[],
  ) {
    this.#session = session;
    this.#hosted = hosted;
    this.#models = models;
  }

  /** Those that can be chosen, as far as it was looked. */
  get models(): readonly ModelChoice[] {
    return this.#models;
  }

  /** Looks which models can be chosen by now. @returns whether that is another list. @throws coded errors */
  async refreshModels(): Promise<boolean> {
    const before = JSON.stringify(this.#models);
    this.#models = await this.#hosted.models();
    return JSON.stringify(this.#models) !== before;
  }

  /** For hosts that know no options. */
  get modes(): SessionModeState {
    return {
      currentModeId: this.#session.effectiveMode,
      availableModes: MODE_IDS.map((id) => ({ id, ...MODES[id] })),
    };
  }

  /** In the order of their weight; the current value is always one of those that can be chosen. */
  get options(): SessionConfigOption[] {
    const { effectiveMode, model } = this.#session;
    const others = this.#models.filter(({ id }) => id !== model);
    const current = this.#models.find(({ id }) => id === model) ?? { id: model, name: model };
    const models = others.length === this.#models.length ? [current, ...others] : this.#models;
    return [
      {
        type: "select",
        id: "mode",
        name: "Mode",
        description: "What runs without asking",
        category: "mode",
        currentValue: effectiveMode,
        options: MODE_IDS.map((value) => ({ value, ...MODES[value] })),
      },
      {
        type: "select",
        id: "model",
        name: "Model",
        description: "Holds from the next request to a model on",
        category: "model",
        currentValue: model,
        options: models.map(({ id: value, name, description }) => ({
          value,
          name,
          ...(description !== undefined && { description }),
        })),
      },
      ...this.#thoughtLevelOption,
    ];
  }

  /** Only where the model has levels. */
  get #thoughtLevelOption(): SessionConfigOption[] {
    const { thoughtLevel = DEFAULT_LEVEL, thoughtLevels } = this.#session;
    if (thoughtLevels.length === 0) return [];
    return [
      {
        type: "select",
        id: "thought_level",
        name: "Thought level",
        description: "How much the model thinks, from the next request to it on",
        category: "thought_level",
        currentValue: thoughtLevel,
        options: [
          { value: DEFAULT_LEVEL, name: "Default", description: "As the model does by itself" },
          ...thoughtLevels.map((value) => ({ value, name: LEVEL_NAMES[value] })),
        ],
      },
    ];
  }

  /** @returns false: it was set already. @throws RequestError, coded errors */
  async setMode(id: string, path = "modeId"): Promise<boolean> {
    const mode = MODE_IDS.find((one) => one === id);
    if (mode === undefined) throw invalidParams(path, `one of ${MODE_IDS.join(", ")}`);
    this.#hosted.checkMode?.(mode);
    const isNew = mode !== this.#session.mode;
    await this.#session.setMode(mode);
    return isNew;
  }

  /** @returns false: it was set already. @throws RequestError, coded errors */
  async setOption(request: SetSessionConfigOptionRequest): Promise<boolean> {
    const { configId, value } = request;
    const ids = this.options.map(({ id }) => id);
    if (!ids.includes(configId)) throw invalidParams("configId", `one of ${ids.join(", ")}`);
    if (typeof value !== "string") throw invalidParams("value", "the id of a choice");
    if (configId === "mode") return this.setMode(value, "value");
    return configId === "model" ? this.#setModel(value) : this.#setThoughtLevel(value);
  }

  async #setThoughtLevel(value: string): Promise<boolean> {
    const { thoughtLevel, thoughtLevels } = this.#session;
    const level = thoughtLevels.find((one) => one === value);
    if (level === undefined && value !== DEFAULT_LEVEL) {
      throw invalidParams("value", `one of ${[DEFAULT_LEVEL, ...thoughtLevels].join(", ")}`);
    }
    await this.#session.setThoughtLevel(level);
    return level !== thoughtLevel;
  }

  /** What is not on offer may not be chosen from a wire: ids can name files and services. */
  async #setModel(id: string): Promise<boolean> {
    const { model } = this.#session;
    if (id === model) return false;
    if (!this.#models.some((choice) => choice.id === id)) {
      throw invalidParams("value", "one of the models that the option offers");
    }
    await this.#session.setModel(id);
    return true;
  }
}
