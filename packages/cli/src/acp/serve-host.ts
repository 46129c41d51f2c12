import type { Readable } from "node:stream";
import { isDeepStrictEqual } from "node:util";
import type { HostedAgent } from "@acumen/acp";
import { AcumenError, createStderrLogger, type Logger } from "@acumen/core";
import type { OpenedAgent } from "../agent/open-agent.ts";
import { codedError } from "../coded-error.ts";
import type { CommandContext } from "../command-context.ts";
import type { AcpFlags } from "../commands/acp.ts";
import { EXIT_CODES, exitCodeOf } from "../exit-code.ts";
import { refuseAgent } from "../refuse-agent.ts";
import { type LoadedSettings, loadSettings } from "../settings/load-settings.ts";
import { packageVersion } from "../version.ts";
import { hostChoice } from "./host-choice.ts";
import { hostFacts } from "./host-facts.ts";
import { takeOutput } from "./private-output.ts";

/** From the end of the host to the end of this process, whatever still runs; the contract says 3 s. */
const END_MS = 2_700;
/** When everything is closed, but something keeps the process alive, such as a connection to a model. */
const LINGER_MS = 100;

/**
 * Serves one host until its input ends or a signal comes; then turns are cancelled and servers closed. Nothing but the protocol is
 * written to stdout.
 * @throws CLI_INTERRUPTED; CLI_USAGE, CLI_SETTING_INVALID, CLI_REFUSED_TO_AGENT before anything is served
 */
export async function serveHost(flags: AcpFlags, context: CommandContext): Promise<void> {
  const { environment, stdin, signal } = context;
  const { variables, logLevel } = environment;
  // Whoever serves as host answers all questions.
  refuseAgent(variables, "acumen acp");
  const logger = createStderrLogger({ name: "acumen", level: logLevel });
  const output = takeOutput(context, logger);
  const faults = watchFaults(logger);
  try {
    // A broken settings file must not keep the host from hearing what is wrong: sessions say it.
    const [{ AcpAgentServer: Server, stdioStream }, loaded] = await Promise.all([
      import("@acumen/acp"),
      loadSettings(variables, flags, { tolerant: true }),
    ]);
    signal.throwIfAborted();
    const agent = new LateAgent(flags, context);
    let greeting: LoadedSettings | undefined = loaded;
    const server = new Server({
      info: { name: "acumen", title: "Acumen", version: packageVersion() },
      greet: async () => {
        // Somebody may change settings and keys while the host runs.
        const now = greeting ?? (await loadSettings(variables, flags, { tolerant: true }));
        greeting = undefined;
        return hostFacts(now);
      },
      open: async () => hosted(await agent.open(), logger),
      logger,
    });
    const input = stdin() as unknown as Readable;
    const end = new ProcessEnd(context);
    // From then on, however much of what came before is still waiting.
    input.once("end", end.limit);
    signal.addEventListener("abort", end.limit, { once: true });
    const connection = server.connect(stdioStream(input, output.stream));
    const stop = (): void => connection.close();
    signal.addEventListener("abort", stop, { once: true });
    faults.onFatal(stop);
    await connection.closed;
    end.limit();
    await server.close();
    await agent.close();
    end.linger();
    signal.throwIfAborted();
    if (faults.fatal !== undefined) throw faults.fatal;
  } finally {
    faults.release();
    output.release();
  }
}

/** The agent, which is loaded after the host was greeted, or never; with the settings and keys as they are when it is asked for. */
class LateAgent {
  readonly #flags: AcpFlags;
  readonly #context: CommandContext;
  #opening: Promise<OpenedAgent> | undefined;
  /** Opened with other settings or keys; their sessions go on until the end. */
  readonly #former: OpenedAgent[] = [];

  constructor(flags: AcpFlags, context: CommandContext) {
    this.#flags = flags;
    this.#context = context;
  }

  async open(): Promise<OpenedAgent> {
    const opening = (this.#opening ??= this.#load());
    try {
      const opened = await opening;
      if (await this.#isCurrent(opened)) return opened;
      if (this.#opening === opening) {
        this.#former.push(opened);
        this.#opening = this.#load();
      }
      return await (this.#opening ?? this.#load());
    } catch (error) {
      // Somebody may mend what was in the way.
      this.#opening = undefined;
      throw error;
    }
  }

  /** Settings that cannot be used are told by opening with them. */
  async #isCurrent({ loaded }: OpenedAgent): Promise<boolean> {
    const { variables } = this.#context.environment;
    const now = await loadSettings(variables, this.#flags, { tolerant: true });
    const isSame = isDeepStrictEqual(
      [now.settings, now.stored, now.model],
      [loaded.settings, loaded.stored, loaded.model],
    );
    return isSame && now.settingsFault === undefined;
  }

  async #load(): Promise<OpenedAgent> {
    const { openAgent } = await import("../agent/open-agent.ts");
    return openAgent(this.#context.environment, this.#flags);
  }

  async close(): Promise<void> {
    const opened = await this.#opening?.catch(() => undefined);
    for (const one of [...this.#former, opened]) await one?.[Symbol.asyncDispose]();
  }
}

async function hosted(opened: OpenedAgent, logger: Logger): Promise<HostedAgent> {
  const [{ hostPowers }, { hostLevel }] = await Promise.all([
    import("./host-powers.ts"),
    import("./host-level.ts"),
  ]);
  return {
    ...hostPowers(opened),
    agent: opened.agent,
    inheritMcp: opened.loaded.settings.mcp?.inherit ?? true,
    choose: async (cwd) => {
      const { model, mode, thoughtLevel } = await opened.workspace(cwd);
      const level = await hostLevel(opened, model?.id, thoughtLevel, logger);
      return { ...hostChoice(opened.loaded, model), mode, ...level };
    },
    models: async () => {
      const { hostModels } = await import("./host-models.ts");
      return hostModels(opened.loaded);
    },
  };
}

/** Ends the process when closing takes too long, and when something lives on after it. */
class ProcessEnd {
  readonly #context: Pick<CommandContext, "exit" | "signal">;
  #isLimited = false;

  constructor(context: Pick<CommandContext, "exit" | "signal">) {
    this.#context = context;
  }

  /** The time runs from the first call on. */
  readonly limit = (): void => {
    if (this.#isLimited) return;
    this.#isLimited = true;
    setTimeout(this.#leave, END_MS).unref();
  };

  /** Everything is closed. */
  linger(): void {
    setTimeout(this.#leave, LINGER_MS).unref();
  }

  readonly #leave = (): void => {
    const { signal, exit } = this.#context;
    exit?.(signal.aborted ? exitCodeOf(codedError(signal.reason, signal)) : EXIT_CODES.done);
  };
}

/** What nobody caught. A rejection is written down; after an exception the state may be broken, so serving ends. */
interface Faults {
  readonly fatal: Error | undefined;
  onFatal(listener: () => void): void;
  release(): void;
}

function watchFaults(logger: Logger): Faults {
  let fatal: Error | undefined;
  let onFatal = (): void => undefined;
  const rejected = (reason: unknown): void => {
    logger.error("unhandled rejection", { error: nameOf(reason) });
  };
  const thrown = (error: Error): void => {
    logger.error("uncaught exception", { error: nameOf(error) });
    fatal ??= error;
    onFatal();
  };
  process.on("unhandledRejection", rejected).on("uncaughtException", thrown);
  return {
    get fatal() {
      return fatal;
    },
    onFatal: (listener) => (onFatal = listener),
    release: () => {
      process.off("unhandledRejection", rejected).off("uncaughtException", thrown);
    },
  };
}

/** Without its text, which may quote what it is about. */
function nameOf(thrown: unknown): string {
  if (AcumenError.isInstance(thrown)) return thrown.code;
  return thrown instanceof Error ? thrown.name : typeof thrown;
}
