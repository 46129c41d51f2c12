import type { CodingSession, SessionHost } from "@acumen/agent";
import type { Logger } from "@acumen/core";
import type {
  AgentContext,
  ListSessionsRequest,
  ListSessionsResponse,
  LoadSessionRequest,
  LoadSessionResponse,
  NewSessionRequest,
  NewSessionResponse,
  ResumeSessionRequest,
} from "@agentclientprotocol/sdk";
import type { ClientFeatures } from "../client/client-features.ts";
import { HostPaths } from "../client/host-paths.ts";
import { heldByOther, noCredentials, noModel, unknownSession } from "../errors/request-errors.ts";
import type { HostedAgent } from "../server-options.ts";
import { checkExist, checkFolders, checkSameFolder } from "./folder-checks.ts";
import { HostedSession } from "./hosted-session.ts";
import { KeyedMutex } from "./keyed-mutex.ts";
import { sessionHost } from "./session-host.ts";
import { listSessions } from "./session-list.ts";

export interface GatewayOptions {
  readonly client: AgentContext;
  readonly features: ClientFeatures;
  readonly opened: () => Promise<HostedAgent>;
  /** Prompts may hold images, as the host was told. */
  readonly image: () => boolean;
  readonly logger?: Logger;
}

/** What a host says of a session that is opened for it. */
interface Asked extends Pick<ResumeSessionRequest, "additionalDirectories" | "cwd" | "mcpServers"> {
  readonly replays: boolean;
}

/** The sessions that one host has open. */
export class SessionGateway {
  readonly #options: GatewayOptions;
  readonly #sessions = new Map<string, HostedSession>();
  /** One session is opened, closed or deleted by one request at a time. */
  readonly #changes = new KeyedMutex();
  #closed = false;

  constructor(options: GatewayOptions) {
    this.#options = options;
  }

  /** @throws RequestError, coded errors */
  async create(request: NewSessionRequest): Promise<NewSessionResponse> {
    checkFolders(request);
    const { cwd, additionalDirectories } = request;
    const hosted = await this.#options.opened();
    const { model, mode, thoughtLevel, missingCredentials } = await hosted.choose(cwd);
    if (missingCredentials !== undefined) throw noCredentials(missingCredentials);
    if (model === undefined) throw noModel();
    if (mode !== undefined) hosted.checkMode?.(mode);
    const asked = { ...request, replays: false };
    const session = await this.#hosted(hosted, asked, (host) =>
      hosted.agent.createSession({
        ...host,
        cwd,
        additionalDirectories: additionalDirectories ?? [],
        model,
        ...(mode !== undefined && { mode }),
        ...(thoughtLevel !== undefined && { thoughtLevel }),
      }),
    );
    return { sessionId: session.session.id, ...announced(session) };
  }

  /** Replays the history, of a session that is open already too. @throws RequestError, coded errors */
  async load(request: LoadSessionRequest): Promise<LoadSessionResponse> {
    const session = await this.#open(request, true);
    await session.replay();
    return announced(session);
  }

  /** Replays nothing. @throws RequestError, coded errors */
  async resume(request: ResumeSessionRequest): Promise<LoadSessionResponse> {
    return announced(await this.#open(request, false));
  }

  /** @throws RequestError, coded errors */
  async list(request: ListSessionsRequest): Promise<ListSessionsResponse> {
    const { agent } = await this.#options.opened();
    return listSessions(agent.store, request);
  }

  /** A session that does not exist is deleted already. @throws coded errors */
  async delete(sessionId: string): Promise<void> {
    const { agent } = await this.#options.opened();
    await this.#changes.run(sessionId, async () => {
      await this.#shut(sessionId);
      if (agent.sessions.some(({ id }) => id === sessionId)) throw heldByOther(sessionId);
      await agent.store.delete(sessionId);
    });
  }

  /** @throws RequestError when it is not open here */
  async closeSession(sessionId: string): Promise<void> {
    await this.#changes.run(sessionId, async () => {
      if (!(await this.#shut(sessionId))) throw unknownSession(sessionId);
    });
  }

  /** @throws RequestError when it is not open here */
  session(sessionId: string): HostedSession {
    const session = this.#sessions.get(sessionId);
    if (session === undefined) throw unknownSession(sessionId);
    return session;
  }

  /** Ends the turn that runs and answers those that wait, of prompts that came before; nothing when there are none. */
  cancel(sessionId: string, before?: number): void {
    this.#sessions.get(sessionId)?.cancel(before);
  }

  /** The same in every session. */
  cancelAll(): void {
    for (const session of this.#sessions.values()) session.cancel();
  }

  /** Closes every session. May be called twice. */
  async close(): Promise<void> {
    this.#closed = true;
    const sessions = [...this.#sessions.values()];
    this.#sessions.clear();
    await Promise.all(sessions.map((session) => session.close()));
  }

  /**
   * One that is open already stays the same, with its directories, its servers, and the turn that runs in it; what is asked for
   * must be as usable as for one that is opened.
   */
  #open(
    request: LoadSessionRequest | ResumeSessionRequest,
    replays: boolean,
  ): Promise<HostedSession> {
    checkFolders(request);
    const { sessionId, cwd, additionalDirectories } = request;
    return this.#changes.run(sessionId, async () => {
      const open = this.#sessions.get(sessionId);
      if (open !== undefined) {
        await checkSameFolder(cwd, open.session.workspace.cwd);
        await checkExist(cwd, additionalDirectories ?? []);
        await open.paths.use([cwd, ...(additionalDirectories ?? [])]);
        await open.models();
        return open;
      }
      const hosted = await this.#options.opened();
      return this.#hosted(hosted, { ...request, replays }, (host) =>
        hosted.agent.openSession(sessionId, {
          ...host,
          cwd,
          additionalDirectories: additionalDirectories ?? [],
        }),
      );
    });
  }

  async #hosted(
    hosted: HostedAgent,
    { cwd, additionalDirectories, mcpServers, replays }: Asked,
    make: (host: SessionHost) => Promise<CodingSession>,
  ): Promise<HostedSession> {
    const { client, features, image, logger } = this.#options;
    const models = await hosted.models();
    const paths = new HostPaths();
    await paths.use([cwd, ...(additionalDirectories ?? [])]);
    const ended = new AbortController();
    const opened: { session?: HostedSession } = {};
    const host = sessionHost({
      client,
      features,
      paths,
      servers: mcpServers ?? [],
      inheritMcp: hosted.inheritMcp ?? true,
      opened: () => opened.session,
      ended: ended.signal,
      ...(logger !== undefined && { logger }),
    });
    const made = await make(host);
    try {
      // Of a stored session too.
      hosted.checkMode?.(made.mode);
    } catch (error) {
      await made.close();
      throw error;
    }
    // Which options there are depends on the model.
    await made.findThoughtLevels();
    const session = new HostedSession(made, {
      client,
      features,
      paths,
      hosted,
      models,
      image: image(),
      replays,
      ended,
    });
    opened.session = session;
    if (this.#closed) {
      await session.close();
      throw unknownSession(made.id, "The connection was closed.");
    }
    this.#sessions.set(made.id, session);
    return session;
  }

  /** False: it was not open here. */
  async #shut(sessionId: string): Promise<boolean> {
    const session = this.#sessions.get(sessionId);
    if (session === undefined) return false;
    this.#sessions.delete(sessionId);
    await session.close();
    await session.idle();
    return true;
  }
}

/** The answer to a request that opened a session; commands follow it. */
function announced(session: HostedSession): LoadSessionResponse {
  session.announceCommands();
  const { modes, options: configOptions } = session.config;
  return { modes, configOptions };
}
