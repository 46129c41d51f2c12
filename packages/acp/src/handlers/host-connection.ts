import {
  type AgentContext,
  type AuthenticateRequest,
  type AuthenticateResponse,
  type CancelNotification,
  type InitializeRequest,
  type InitializeResponse,
  RequestError,
} from "@agentclientprotocol/sdk";
import { type ClientFeatures, clientFeatures } from "../client/client-features.ts";
import { invalidParams } from "../errors/invalid-params.ts";
import { noCredentials } from "../errors/request-errors.ts";
import type { AgentServerOptions, HostedAgent, HostFacts } from "../server-options.ts";
import { SessionGateway } from "../sessions/session-gateway.ts";
import { arrivalNumber } from "./arrival-number.ts";
import { authMethods, initializeAnswer } from "./greeting.ts";
import type { RequestHandlers } from "./request-scope.ts";

export interface HostConnectionOptions extends Pick<
  AgentServerOptions,
  "greet" | "info" | "logger"
> {
  readonly client: () => AgentContext;
  /** What the host was told already; the first answer says the same. */
  readonly facts?: HostFacts;
  readonly handlers: RequestHandlers;
  readonly opened: () => Promise<HostedAgent>;
}

/** One host: what it can do, and the sessions that it has open. */
export class HostConnection {
  readonly #options: HostConnectionOptions;
  #sessions: SessionGateway | undefined;
  /** As the host was told last. */
  #image = false;
  /** What the host said first holds. */
  #features: ClientFeatures | undefined;
  /** Hosts may come back to a method that they were offered. */
  readonly #offered = new Set<string>();
  /** Until the first answer. */
  #told: HostFacts | undefined;

  constructor(options: HostConnectionOptions) {
    this.#options = options;
    this.#told = options.facts;
  }

  /** The same answer as often as it is asked. */
  async initialize(request: InitializeRequest): Promise<InitializeResponse> {
    const { info, greet, opened, handlers, client } = this.#options;
    this.#features ??= clientFeatures(request);
    this.#sessions ??= new SessionGateway({
      ...this.#options,
      client: client(),
      features: this.#features,
      image: () => this.#image,
    });
    const facts = this.#told ?? (await greet());
    this.#told = undefined;
    this.#image = facts.image;
    // Loading takes longer than a host should wait for this answer.
    setTimeout(() => void opened().catch(() => undefined), 0);
    const answer = initializeAnswer(info, facts, handlers, this.#features);
    for (const { id } of answer.authMethods ?? []) this.#offered.add(id);
    return answer;
  }

  /**
   * The host runs the method in a terminal; here it is only said whether that has been done.
   * @throws RequestError for a method that was not advertised, and as long as keys are missing
   */
  async authenticate({ methodId }: AuthenticateRequest): Promise<AuthenticateResponse> {
    const { greet, handlers } = this.#options;
    const facts = await greet();
    const terminalAuth = this.#features?.terminalAuth === true;
    const offered = authMethods(facts, handlers, { terminalAuth });
    const known = offered.some(({ id }) => id === methodId);
    if (!known && !this.#offered.has(methodId)) {
      throw invalidParams("methodId", "one of the methods that were advertised");
    }
    if (facts.missingCredentials !== undefined) throw noCredentials(facts.missingCredentials);
    return {};
  }

  /** @throws RequestError before `initialize` */
  get sessions(): SessionGateway {
    if (this.#sessions === undefined) {
      throw RequestError.invalidRequest(undefined, "Initialize first");
    }
    return this.#sessions;
  }

  /** Holds for the prompts that came before it. Nothing when the session is not open. */
  cancel(notification: CancelNotification): void {
    this.#sessions?.cancel(notification.sessionId, arrivalNumber(notification));
  }

  /** Ends every turn, and answers the prompts that wait. */
  cancelAll(): void {
    this.#sessions?.cancelAll();
  }

  /** Closes the sessions. May be called twice. */
  async close(): Promise<void> {
    await this.#sessions?.close();
  }
}
