import type { EventPayload, SessionEvent, SessionMode } from "@acumen/agent";
import type { SessionConfigOption } from "@agentclientprotocol/sdk";
import type { ClientFeatures } from "../client/client-features.ts";
import { DEFAULT_LEVEL } from "./default-level.ts";
import { StreamedMessages } from "./streamed-messages.ts";

export interface SessionUpdatesOptions {
  readonly features: Pick<ClientFeatures, "notices" | "compaction">;
  /** A stored session is shown again: the prompts of the person too. */
  readonly replay: boolean;
  /** All options of the session as they are now; default none. */
  readonly configOptions?: () => readonly SessionConfigOption[];
  /** In a workspace that is not trusted, hosts see mode `auto` as what it acts as. Default true. */
  readonly trusted?: boolean;
  /** What was logged before the first event that is mapped, for sums over the session. */
  readonly past?: readonly SessionEvent[];
}

type Call = EventPayload<"TOOL_CALL">;

/** A call without a result. */
export interface OpenCall {
  readonly call: Call;
  readonly turnId: string | null;
  /** Of the host, which shows there what the call puts out. */
  readonly terminalId?: string;
}

/** What the mapping of one event needs of those before it. */
export class MappingContext {
  readonly features: SessionUpdatesOptions["features"];
  readonly replay: boolean;
  readonly openCalls = new Map<string, OpenCall>();
  readonly streamed = new StreamedMessages();
  readonly #configOptions: () => readonly SessionConfigOption[];
  readonly #trusted: boolean;
  /** USD; undefined as soon as the price of one model call is not known. */
  #cost: number | undefined = 0;
  #mode: SessionMode | undefined;
  #model: string | undefined;
  #thoughtLevel: string | undefined;

  constructor(options: SessionUpdatesOptions) {
    const { features, replay, configOptions = () => [], trusted = true, past = [] } = options;
    this.features = features;
    this.replay = replay;
    this.#configOptions = configOptions;
    this.#trusted = trusted;
    for (const event of past) this.note(event);
  }

  /** Takes what an event adds to sums and settings; before it is mapped. */
  note({ type, payload }: SessionEvent): void {
    if (type === "USAGE") {
      const known = this.#cost !== undefined && payload.cost !== undefined;
      this.#cost = known ? (this.#cost ?? 0) + (payload.cost ?? 0) : undefined;
    }
    if (type === "MODE_CHANGED") this.#mode = payload.mode;
    if (type === "MODEL_CHANGED") this.#noteModel(payload);
    if (type === "SESSION_CREATED" || type === "SESSION_RESUMED") {
      this.#mode = payload.mode;
      this.#noteModel(payload);
    }
  }

  #noteModel({ model, thought_level }: Partial<EventPayload<"MODEL_CHANGED">>): void {
    this.#model = model;
    this.#thoughtLevel = thought_level ?? DEFAULT_LEVEL;
  }

  /** Of the session so far, in USD. */
  get cost(): number | undefined {
    return this.#cost;
  }

  /** As it holds. */
  shownMode(mode: SessionMode): SessionMode {
    return mode === "auto" && !this.#trusted ? "safe" : mode;
  }

  /** All options, with mode, model and thought level as they were at this point of the session, where they still can be chosen. */
  configOptions(): SessionConfigOption[] {
    const mode = this.#mode && this.shownMode(this.#mode);
    return this.#configOptions().map((option) => {
      if (option.id === "mode") return withValue(option, mode);
      if (option.id === "model") return withValue(option, this.#model);
      return option.id === "thought_level" ? withValue(option, this.#thoughtLevel) : option;
    });
  }
}

function withValue(option: SessionConfigOption, value: string | undefined): SessionConfigOption {
  if (option.type !== "select" || value === undefined) return option;
  const values = option.options.flatMap((choice) =>
    "options" in choice ? choice.options.map((inner) => inner.value) : [choice.value],
  );
  return values.includes(value) ? { ...option, currentValue: value } : option;
}
